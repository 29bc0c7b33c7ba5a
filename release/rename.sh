#!/usr/bin/env bash
# rename.sh MODULE: gives the module another path, such as git.example.org/you/lacuna, in go.mod and in every import, so that
# `go install MODULE@VERSION` finds it. Prints what is left to look at.
set -euo pipefail
module=${1:?usage: rename.sh MODULE}
cd "$(git rev-parse --show-toplevel)"
now=$(go list -m)
[ "$now" != "$module" ] || { echo "the module is $module already"; exit; }
# An import stands alone on its line, perhaps with a name before it; what else begins with the old path, such as a method of the protocol, stays.
git ls-files -z '*.go' | xargs -0 sed -i -E "s#^(import |	)([A-Za-z_.][A-Za-z0-9_]* )?\"${now//./\\.}/([^\"]*)\"( *//.*)?\$#\1\2\"$module/\3\"\4#"
go mod edit -module "$module"
git ls-files -z '*.go' | xargs -0 gofmt -w # imports are in another order now
go build ./... && go vet .
echo "renamed $now to $module in $(git diff --name-only | wc -l) files; run the tests, and commit"
