// Package endurance holds the whole program against disks that fill up, file systems that refuse what Lacuna asks of them, and
// kills at any moment. Begin with TestRefusingFileSystem.
package endurance
