// Command release builds what a publisher gives away: the program for every platform, in archives with checksums and a bill
// of materials each, packages for Debian, bundles for agents, and the recipes of package managers. The same commit and the same Go give the same bytes in any folder.
//
//	go run ./release                                    everything, into dist
//	go run ./release -twice                             everything, and once more in another folder, and compares
//	go run ./release -platforms linux/amd64 -out DIR    some of it
//
// Start with build for one platform, with parts for what is inside a program, and with reviewed for what its licences may be.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("out", "dist", "the `folder` to write to")
	only := flag.String("platforms", strings.Join(platforms, ","), "the `platforms` to build for")
	modified := flag.Bool("modified", false, "build what is here although files differ from the commit; nothing to publish")
	twice := flag.Bool("twice", false, "build once more in another folder, with an empty build cache, and compare")
	flag.Parse()
	if err := run(*out, strings.Split(*only, ","), *modified, *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string, chosen []string, modified, twice bool) error {
	status, err := output(".", "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" && (twice || !modified) {
		return fmt.Errorf("these files differ from the commit; commit or remove them:\n%s", status)
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if status != "" {
		_, err := makeAll(".", out, chosen, nil)
		return err
	}
	elsewhere, err := os.MkdirTemp("", "lacuna release ")
	if err != nil {
		return err
	}
	defer os.RemoveAll(elsewhere)
	clone := filepath.Join(elsewhere, "first")
	first, err := makeClone(".", clone, out, chosen, nil)
	if err != nil || !twice {
		return err
	}
	second, err := makeClone(clone, filepath.Join(elsewhere, "and", "second"), filepath.Join(elsewhere, "out"), chosen, []string{"GOCACHE=" + filepath.Join(elsewhere, "cache")})
	if err != nil {
		return err
	}
	if first != second {
		return fmt.Errorf("two builds of one commit differ:\n%s\nand\n%s", first, second)
	}
	fmt.Printf("built again in another folder: all %d files are the same\n", strings.Count(first, "\n"))
	return nil
}

// makeClone is makeAll in a new clone of a repository. The go command knows the commit of a clone, and not that of a work tree which shares its
// repository with others.
func makeClone(of, clone, out string, chosen, environment []string) (string, error) {
	if _, err := output(".", "git", "clone", "--quiet", "--no-hardlinks", of, clone); err != nil {
		return "", err
	}
	return makeAll(clone, out, chosen, environment)
}
