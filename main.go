// Lacuna answers the questions in your notes from your own sources and shows what they do not know.
package main

import (
	"os"

	"lacuna/server/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
