package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// method is the cipher of strings or streams.
type method uint8

const (
	noEncryption method = iota
	rc4Method
	aes128
	aes256
)

// security decrypts a file that an empty password opens, by PDF 32000-1, 7.6 and, for 256-bit keys,
// ISO 32000-2.
type security struct {
	key              []byte
	strings, streams method
	metadata         bool // whether metadata streams are encrypted
}

var passwordPadding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// newSecurity returns [ErrEncrypted] if an empty password does not open the file.
func newSecurity(f *file, d dict, id text) (*security, error) {
	if filter, _ := f.resolve(d["Filter"]).(name); filter != "Standard" && filter != "" {
		return nil, ErrEncrypted
	}
	number := func(key name, otherwise int) int {
		if n, given := f.number(d[key]); given {
			return int(int64(n))
		}
		return otherwise
	}
	bytesOf := func(key name) []byte { s, _ := f.resolve(d[key]).(text); return []byte(s) }
	version, revision := number("V", 0), number("R", 2)
	s := &security{metadata: true}
	if encrypted, given := f.resolve(d["EncryptMetadata"]).(bool); given {
		s.metadata = encrypted
	}
	length := number("Length", 40) / 8
	switch version {
	case 1, 2, 3:
		s.strings, s.streams = rc4Method, rc4Method
	case 4, 5, 6:
		length = 16
		s.strings, s.streams = f.cryptMethod(d, "StrF"), f.cryptMethod(d, "StmF")
	default:
		return nil, ErrEncrypted
	}
	if version == 1 || length < 5 || length > 32 {
		length = 5
	}
	owner, user := bytesOf("O"), bytesOf("U")
	if revision >= 5 {
		s.key = deriveKey256(revision, owner, user, bytesOf("OE"), bytesOf("UE"))
	} else {
		s.key = deriveKey(revision, min(length, 16), owner, user, uint32(int64(number("P", 0))), []byte(id), s.metadata)
	}
	if s.key == nil && (s.strings != noEncryption || s.streams != noEncryption) { // otherwise only attachments are encrypted
		return nil, ErrEncrypted
	}
	return s, nil
}

// cryptMethod returns the method of the crypt filter that key names.
func (f *file) cryptMethod(d dict, key name) method {
	filter, _ := f.resolve(d[key]).(name)
	filters := f.dict(d["CF"])
	switch cfm, _ := f.resolve(f.dict(filters[filter])["CFM"]).(name); cfm {
	case "V2":
		return rc4Method
	case "AESV2":
		return aes128
	case "AESV3":
		return aes256
	}
	return noEncryption
}

// deriveKey derives a key of up to 128 bits by algorithm 2 and checks it by algorithms 4 and 5; it
// returns nil if the check fails.
func deriveKey(revision, length int, owner, user []byte, permissions uint32, id []byte, metadata bool) []byte {
	if len(owner) < 32 || len(user) < 16 {
		return nil
	}
	h := md5.New()
	h.Write(passwordPadding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, permissions))
	h.Write(id)
	if revision >= 4 && !metadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	want := applyRC4(key, passwordPadding)
	if revision >= 3 {
		sum := md5.Sum(append(bytes.Clone(passwordPadding), id...))
		want = sum[:]
		for i := range 20 {
			step := bytes.Clone(key)
			for k := range step {
				step[k] ^= byte(i)
			}
			want = applyRC4(step, want)
		}
	}
	if !bytes.Equal(want[:16], user[:16]) {
		return nil
	}
	return key
}

func applyRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return data
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// deriveKey256 derives a 256-bit key by algorithm 2.A, with the empty password as the user's and then
// as the owner's; it returns nil if neither fits.
func deriveKey256(revision int, owner, user, ownerKey, userKey []byte) []byte {
	if len(owner) < 48 || len(user) < 48 || len(ownerKey) < 32 || len(userKey) < 32 {
		return nil
	}
	unwrap := func(hash, wrapped []byte) []byte {
		block, err := aes.NewCipher(hash)
		if err != nil {
			return nil
		}
		out := make([]byte, 32)
		cipher.NewCBCDecrypter(block, make([]byte, 16)).CryptBlocks(out, wrapped[:32])
		return out
	}
	if bytes.Equal(hashPassword(revision, user[32:40], nil), user[:32]) {
		return unwrap(hashPassword(revision, user[40:48], nil), userKey)
	}
	if bytes.Equal(hashPassword(revision, owner[32:40], user[:48]), owner[:32]) {
		return unwrap(hashPassword(revision, owner[40:48], user[:48]), ownerKey)
	}
	return nil
}

// hashPassword hashes the empty password by algorithm 2.B.
func hashPassword(revision int, salt, user []byte) []byte {
	sum := sha256.Sum256(append(bytes.Clone(salt), user...))
	key := sum[:]
	if revision < 6 {
		return key
	}
	for round := 0; ; round++ {
		data := bytes.Repeat(append(bytes.Clone(key), user...), 64)
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, key[16:32]).CryptBlocks(data, data)
		rest := 0
		for _, b := range data[:16] {
			rest += int(b)
		}
		switch rest % 3 {
		case 0:
			sum := sha256.Sum256(data)
			key = sum[:]
		case 1:
			sum := sha512.Sum384(data)
			key = sum[:]
		default:
			sum := sha512.Sum512(data)
			key = sum[:]
		}
		if round >= 63 && int(data[len(data)-1]) <= round-31 {
			return key[:32]
		}
	}
}

// decrypt decrypts a string or stream of object own.
func (s *security) decrypt(m method, own reference, data []byte) []byte {
	if m == noEncryption {
		return data
	}
	key := s.key
	if m != aes256 {
		n := own.number
		salted := append(bytes.Clone(key), byte(n), byte(n>>8), byte(n>>16), byte(own.generation), byte(own.generation>>8))
		if m == aes128 {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(key)+5, 16)]
	}
	if m == rc4Method {
		return applyRC4(key, data)
	}
	if len(data) < 32 {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	body := bytes.Clone(data[16 : len(data)-len(data)%16])
	cipher.NewCBCDecrypter(block, data[:16]).CryptBlocks(body, body)
	if padding := int(body[len(body)-1]); padding >= 1 && padding <= 16 {
		body = body[:len(body)-padding]
	}
	return body
}
