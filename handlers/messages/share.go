package messages

import (
	"fmt"
	"strings"
	"time"
)

// What a publisher reads.

// PublicationWithheld says which files are not published because they are private.
func PublicationWithheld(files []string) string {
	const most = 5
	listed := strings.Join(files[:min(len(files), most)], ", ")
	if more := len(files) - most; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s withheld, because they hold something private: %s", Count(len(files), "file"), listed)
}

// PublicationUnchanged says that there is nothing to publish.
func PublicationUnchanged(source, place string, number int) string {
	return fmt.Sprintf("nothing to publish: %s holds %s as it is, number %d", place, source, number)
}

// PublicationDone says what was published.
func PublicationDone(source, place string, number, files int, bytes int64, sent int, sentBytes int64) string {
	return fmt.Sprintf("published %s to %s as number %d: %s, %s; new were %s, %s",
		source, place, number, Count(files, "file"), Size(bytes), Count(sent, "piece"), Size(sentBytes))
}

// PublicationPlan says what would be published.
func PublicationPlan(source, place string, files int) string {
	return fmt.Sprintf("nothing was published; %s of %s would be, to %s", Count(files, "file"), source, place)
}

// What somebody who mirrors reads.

// MirrorNeedsKey says that nobody told whose signature to accept.
func MirrorNeedsKey(place, publisher string) string {
	claims := ""
	if publisher != "" {
		claims = fmt.Sprintf(" (the publication says that it is from %s, which anybody could write)", publisher)
	}
	return fmt.Sprintf("%s was not mirrored, because a mirror accepts one publisher alone%s; ask whoever publishes it for the key, which “lacuna push” prints there, and add --key KEY", place, claims)
}

// MirrorAway says that a place cannot be reached, and what serves instead.
func MirrorAway(place, source string, published time.Time, err error) string {
	if published.IsZero() {
		return fmt.Sprintf("%s was not mirrored: %v", place, err)
	}
	return fmt.Sprintf("%s could not be brought up to date: %v; what was published on %s serves on", source, err, published.Format(time.DateOnly))
}

// MirrorUnchanged says that nothing new was published.
func MirrorUnchanged(source string, published time.Time, number int) string {
	return fmt.Sprintf("%s is up to date: number %d, published on %s", source, number, published.Format(time.DateOnly))
}

// MirrorDone says what a mirror holds now.
func MirrorDone(source, folder string, published time.Time, number, files, written, removed int, fetched int64) string {
	return fmt.Sprintf("mirrored %s into %s: number %d, published on %s; %s, of which %d are new or changed, and %d are gone; %s fetched",
		source, folder, number, published.Format(time.DateOnly), Count(files, "file"), written, removed, Size(fetched))
}

// PublishedBy says whose publication a source is.
func PublishedBy(key string, published time.Time, number int) string {
	return fmt.Sprintf("published by %s on %s, number %d", key, published.Format(time.DateOnly), number)
}

// Size returns a number of bytes as people read it.
func Size(bytes int64) string {
	switch {
	case bytes < 10_000:
		return Count(int(bytes), "byte")
	case bytes < 10_000_000:
		return fmt.Sprintf("%d KB", bytes/1000)
	case bytes < 10_000_000_000:
		return fmt.Sprintf("%d MB", bytes/1_000_000)
	}
	return fmt.Sprintf("%d GB", bytes/1_000_000_000)
}
