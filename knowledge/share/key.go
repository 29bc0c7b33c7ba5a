package share

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"lacuna/vecmath/regular"
)

// Key signs publications. Whoever has its file can publish in its name.
type Key struct {
	signer note.Signer
	// Public is what those who mirror pin: NAME+HASH+KEY.
	Public string
}

// OpenKey returns the key of a file. If there is none, a key with that name is made, in a file that only its owner can
// read; made says so.
func OpenKey(file, name string) (key *Key, made bool, err error) {
	text, err := regular.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = newKey(file, name)
		return key, err == nil, err
	}
	if err != nil {
		return nil, false, err
	}
	secret, public, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	key = &Key{Public: strings.TrimSpace(public)}
	if key.signer, err = note.NewSigner(strings.TrimSpace(secret)); err != nil {
		return nil, false, fmt.Errorf("%s holds no key: restore it from a backup", file)
	}
	verifier, err := note.NewVerifier(key.Public)
	if err != nil || verifier.KeyHash() != key.signer.KeyHash() || verifier.Name() != key.signer.Name() {
		return nil, false, fmt.Errorf("%s holds no public key that fits: restore it from a backup", file)
	}
	return key, false, nil
}

func newKey(file, name string) (*Key, error) {
	secret, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be the name of a publisher: it may have no space and no plus", name)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	if err := write(file, []byte(secret+"\n"+public+"\n"), 0o600); err != nil {
		return nil, err
	}
	return &Key{signer, public}, nil
}

// sign returns the head as a signed note.
func (k *Key) sign(h Head) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: string(text) + "\n"}, k.signer)
}

// openHead returns the head of a signed note, if a key signed it.
func openHead(signed []byte, public string) (Head, error) {
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return Head{}, fmt.Errorf("%q is no public key; one looks like NAME+HASH+KEY", public)
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return Head{}, ErrSignature
	}
	var head Head
	if err := parse([]byte(opened.Text), &head); err != nil {
		return Head{}, err
	}
	if head.Format != format {
		return Head{}, fmt.Errorf("this version of Lacuna reads %q, and this is %q; take another version", format, head.Format)
	}
	if head.Number < 1 || head.Card.Bytes > maxCard {
		return Head{}, ErrAltered
	}
	return head, nil
}

// NameOf returns the name of a public key and its hash, as people compare them: false if it is no public key.
func NameOf(public string) (string, bool) {
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%s+%08x", verifier.Name(), verifier.KeyHash()), true
}

// Publisher returns who claims to have signed a head, unchecked.
func publisher(signed []byte) string {
	_, err := note.Open(signed, note.VerifierList())
	var unverified *note.UnverifiedNoteError
	if errors.As(err, &unverified) && len(unverified.Note.UnverifiedSigs) > 0 {
		first := unverified.Note.UnverifiedSigs[0]
		return fmt.Sprintf("%s+%08x", first.Name, first.Hash)
	}
	return ""
}
