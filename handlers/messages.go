package handlers

// Message is something a user reads, from the catalogue of this file.
type Message struct {
	Level Level
	Text  string
}

// Level is how much a message matters.
type Level uint8

const (
	Info Level = iota
	Warning
	Error
)
