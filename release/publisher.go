package main

import "lacuna/server/cli"

// What only a publisher can say. docs/publishing.md has the rest of the list. Until it is filled in, packages and recipes have the
// addresses below, which lead nowhere.
const (
	// address is the page of the repository.
	address = "https://lacuna.example/lacuna"
	// maintainer answers for the packages.
	maintainer = "The publisher of Lacuna <publisher@lacuna.example>"
)

// download returns where a file of the release is.
func download(name string) string {
	return address + "/releases/download/v" + cli.Version + "/" + name
}

// summary is what lists of packages say in a line: without an article, a full stop, or quotation marks.
const summary = "Answers questions in notes from your own documents, with citations"
