# The words people guess. Everything works with Go alone; only those with editors, pictures and pages fetch more.
.PHONY: build test race bench bench-wire bench-peers vet fuzz ci editors vscode release pictures site clean

build:
	CGO_ENABLED=0 go build -o lacuna .

test:
	go test ./...

race:
	go test -race ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

# bench-wire measures what a person waits for, through the wire, on a long note and a large base, which is indexed once.
# WIRE="-passages 20000 -soak 1h" make bench-wire is a soak on a smaller one.
bench-wire: build
	go test ./server/editortest/measure -run '^TestMeasure$$' -count=1 -timeout 0 -v -args -lacuna $(CURDIR)/lacuna $(WIRE)

# bench-peers compares exact vector search with faiss and numpy on the same vectors. LACUNA_DATA adds those of real text;
# PEERS='-cases "mix 10k"' asks for less; PEERS=-gate fails where a search is slower beside faiss than it should be.
bench-peers:
	vecmath/peers/run.sh $(PEERS)

vet:
	gofmt -l $$(git ls-files '*.go')
	go vet ./...

# fuzz looks longer than CI does, and fails for what it finds. FUZZTIME=10s make fuzz is a shorter look.
fuzz:
	FUZZ_STRICT=1 FUZZTIME=$${FUZZTIME:-2m} .ci/run fuzz

ci:
	.ci/run

editors: build
	LACUNA=$(CURDIR)/lacuna OUT=$(CURDIR)/out editors/test/all.sh

# vscode makes editors/vscode/lacuna.vsix. TARGET=linux-x64 make vscode puts the program for that platform inside; VS Code's
# documentation has the others' names.
vscode:
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run check && npm test && npm run package

# release makes dist: archives for eight platforms, checksums and bills of materials, twice, and compares them (docs/release.md).
release:
	go run ./release -twice

# pictures draws those of the guides, and the moving ones, from VS Code, Obsidian's editor, Neovim, Helix and Emacs as they run.
pictures: build
	LACUNA=$(CURDIR)/lacuna OUT=$(CURDIR)/out editors/test/all.sh vscode obsidian nvim-screen helix emacs-screen
	LACUNA=$(CURDIR)/lacuna OUT=$(CURDIR)/out/pictures editors/test/vscode-pictures.sh
	LACUNA=$(CURDIR)/lacuna OUT=$(CURDIR)/out editors/test/obsidian-film.sh
	editors/test/pictures.sh $(CURDIR)/out

# site makes docs/site/out/pages of all pages: static, with search; it fails for a link that leads nowhere (docs/site/README.md).
site:
	cd docs/site && npm ci --ignore-scripts --no-audit --no-fund && npm run -s build

clean:
	rm -rf lacuna lacuna.exe out docs/site/out
