package share

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/restic/chunker"
)

// A piece holds 128 KB on average: after a change of one sentence that is sent again, and a gigabyte
// has eight thousand of them.
const (
	minPiece     = 32 << 10
	maxPiece     = 512 << 10
	averageBits  = 17
	polynomial   = chunker.Pol(0x3DA3358B4DC173) // irreducible; another one would cut every stream elsewhere
	piecesFolder = "pieces/"
)

// Piece names bytes by what they are.
type Piece struct {
	SHA256 sum   `json:"sha256"`
	Bytes  int64 `json:"bytes"`
}

// sum is a SHA-256, in JSON hexadecimal.
type sum [sha256.Size]byte

// MarshalText implements [encoding.TextMarshaler].
func (s sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *sum) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(s)) {
		return errors.New("no SHA-256")
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// name is where a piece is kept.
func (p Piece) name() string {
	s := hex.EncodeToString(p.SHA256[:])
	return piecesFolder + s[:2] + "/" + s
}

func pieceOf(content []byte) Piece {
	return Piece{SHA256: sha256.Sum256(content), Bytes: int64(len(content))}
}

// packed returns the content as it is kept.
func packed(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's
	}
	_, _ = w.Write(content) // to memory
	_ = w.Close()
	return out.Bytes()
}

// unpack returns what a kept piece holds, or an error if that is not what its name says.
func (p Piece) unpack(kept []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(kept))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name(), ErrAltered)
	}
	content := bytes.NewBuffer(make([]byte, 0, min(p.Bytes, maxPiece)+bytes.MinRead))
	_, err = content.ReadFrom(io.LimitReader(r, p.Bytes+1))
	if err != nil || pieceOf(content.Bytes()) != p {
		return nil, fmt.Errorf("%s: %w", p.name(), ErrAltered)
	}
	return content.Bytes(), nil
}

// cut divides a stream into pieces, in order. The content is valid until each returns.
func cut(stream io.Reader, each func(content []byte) error) error {
	c := chunker.NewWithBoundaries(stream, polynomial, minPiece, maxPiece)
	c.SetAverageBits(averageBits)
	buffer := make([]byte, maxPiece)
	for {
		chunk, err := c.Next(buffer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(chunk.Data); err != nil {
			return err
		}
	}
}
