// Lacuna answers the questions in your notes from your own sources and shows what they do not know.
package main

import (
	"os"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/server/cli"
)

func main() {
	pdf.Child() // PDF files are read by a child of this program
	os.Exit(cli.Main(os.Args[1:]))
}
