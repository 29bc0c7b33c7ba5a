# setup-from-docs.sh: the set-up code of a guide, as a reader copies it. Source it.
# code_block PAGE LANGUAGE N prints the Nth code block in that language of a page of the repository.
code_block() {
  awk -v open="^ *\`\`\`$2\$" -v n="$3" '
    inside && /^ *```$/ { inside = 0; next }
    inside { if (seen == n) print substr($0, indent); next }
    $0 ~ open { inside = 1; seen++; match($0, /`/); indent = RSTART }
    END { exit seen < n }' "$(dirname "${BASH_SOURCE[0]}")/../../$1"
}
