#!/usr/bin/env bash
# A gate for continuous integration: the build fails if an answer breaks the policy, or if a checked-in grammar is stale.
#
#     examples/ci_gate.sh POLICY GRAMMAR ANSWERS...
#
# Exit codes: 0 all is well, 1 a text or the grammar fails, 2 a file cannot be read.
set -u
policy=$1 grammar=$2
shift 2

worst=0
step() {
    printf '$ %s\n' "$*"
    "$@"
    local code=$?
    if ((code > worst)); then worst=$code; fi
}

step langc test "$policy"                                            # the accept and reject lines of the policy
step langc compile "$policy" --target gbnf -o "$grammar" --frozen    # is the grammar still what the policy makes?
step langc check "$@" --policy "$policy"                             # every violation, as file:line:column
exit "$worst"
