package weaviate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerm is the length in bytes from which a term is stored as its hash: long keys cost every search.
const maxTerm = 256

// escape returns a term without spaces, which the cluster would split at, and as valid text, which gRPC demands. Terms
// that differ stay different.
func escape(term string) string {
	if term == "" {
		return "%"
	}
	if len(term) > maxTerm {
		hash := sha256.Sum256([]byte(term))
		return "%x" + hex.EncodeToString(hash[:])
	}
	if !strings.ContainsFunc(term, awkward) {
		return term
	}
	var b strings.Builder
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRuneInString(term[i:])
		if awkward(r) {
			for _, c := range []byte(term[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(term[i : i+size])
		}
		i += size
	}
	return b.String()
}

func awkward(r rune) bool {
	return r == '%' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
}
