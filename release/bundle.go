package main

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"lacuna/server/cli"
)

// bundlePlatforms are the platforms that have a bundle: those of programs that install bundles.
var bundlePlatforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// bundleName is the file of the bundle of a platform.
func bundleName(platform string) string { return folderName(platform) + ".mcpb" }

// bundle returns what installs the program into an agent with a click: a zip in the form MCPB 0.3 with the program, its terms, and a
// manifest, which has the agent ask for the folder of the documents.
func bundle(platform string, inside []entry, as time.Time) ([]byte, error) {
	type object = map[string]any
	program := "server/" + inside[0].name
	system, _, _ := strings.Cut(platform, "/")
	manifest, err := json.MarshalIndent(object{
		"manifest_version": "0.3",
		"name":             "lacuna",
		"display_name":     "Lacuna",
		"version":          cli.Version,
		"description":      summary,
		"long_description": "Answers questions from the documents in a folder of yours, with quotes that were compared with the files, and says what these documents do not know. " +
			"It changes nothing, and needs no model and no network. An agent is given nothing before you run “lacuna consent allow agent:NAME” in that folder: what it is given goes to the machine of its model.",
		"author":        object{"name": strings.Split(maintainer, " <")[0], "url": address},
		"homepage":      address,
		"license":       "Apache-2.0",
		"compatibility": object{"platforms": []string{strings.Replace(system, "windows", "win32", 1)}},
		"server": object{
			"type":        "binary",
			"entry_point": program,
			"mcp_config":  object{"command": "${__dirname}/" + program, "args": []string{"mcp", "--workspace", "${user_config.folder}"}},
		},
		"user_config": object{
			"folder": object{"type": "directory", "title": "Folder", "description": "The folder with your documents, or with the .lacuna.toml that names them", "required": true},
		},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	files := []entry{{"manifest.json", append(manifest, '\n'), 0o644}}
	for _, file := range inside {
		if file.name == inside[0].name {
			file.name = program
		} else if !slices.Contains([]string{"LICENSE", "NOTICE", programNotices, "LGPL-2.1.txt"}, file.name) {
			continue
		}
		files = append(files, file)
	}
	return zipped("", files, as)
}
