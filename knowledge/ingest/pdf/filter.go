package pdf

import (
	"bytes"
	"compress/flate"
	"io"
)

// maxDecodedStream bounds the decoded size of one stream, in bytes.
const maxDecodedStream = 128 << 20

// applyFilter undoes one filter. If the data is damaged, it returns what was decoded before the
// damage. ok is false for image filters, which hold no text.
func applyFilter(filter name, data []byte, parameters dict, f *file) ([]byte, bool) {
	switch filter {
	case "FlateDecode", "Fl":
		return undoPredictor(inflate(data), parameters, f), true
	case "LZWDecode", "LZW":
		early := true
		if change, given := f.number(parameters["EarlyChange"]); given {
			early = change != 0
		}
		return undoPredictor(decodeLZW(data, early), parameters, f), true
	case "ASCIIHexDecode", "AHx":
		l := lexer{data: data}
		return l.hex().bytes, true
	case "ASCII85Decode", "A85":
		return decodeASCII85(data), true
	case "RunLengthDecode", "RL":
		return decodeRunLength(data), true
	case "Crypt":
		return data, true
	}
	return nil, false
}

func inflate(data []byte) []byte {
	for len(data) > 0 && (data[0] == '\r' || data[0] == '\n') {
		data = data[1:]
	}
	if len(data) > 2 && data[0]&0x0f == 8 && (int(data[0])<<8|int(data[1]))%31 == 0 {
		data = data[2:]
	} else if len(data) > 2 {
		if out := inflateRaw(data[2:]); len(out) > 0 {
			return out
		}
	}
	return inflateRaw(data)
}

func inflateRaw(data []byte) []byte {
	var out bytes.Buffer
	out.Grow(min(4*len(data), 1<<20) + 512)
	r := flate.NewReader(bytes.NewReader(data))
	_, _ = io.Copy(&out, io.LimitReader(r, maxDecodedStream)) // keep what precedes the damage
	return out.Bytes()
}

// decodeLZW undoes LZW with codes of 9 to 12 bits. If early is true, codes grow one entry early
// (/EarlyChange).
func decodeLZW(data []byte, early bool) []byte {
	type entry struct {
		prefix int
		last   byte
		length int
	}
	entries := make([]entry, 258, 4096)
	for i := range 256 {
		entries[i] = entry{-1, byte(i), 1}
	}
	shift := 0
	if early {
		shift = 1
	}
	var out []byte
	width, bits, have, previous := 9, uint32(0), 0, -1
	for _, b := range data {
		bits, have = bits<<8|uint32(b), have+8
		if have < width {
			continue
		}
		have -= width
		code := int(bits >> have & (1<<width - 1))
		switch {
		case code == 257 || len(out) > maxDecodedStream:
			return out
		case code == 256:
			entries, width, previous = entries[:258], 9, -1
			continue
		case code > len(entries) || code == len(entries) && previous < 0:
			return out
		}
		source := code
		if code == len(entries) {
			source = previous
		}
		from, n := len(out), entries[source].length
		for range n {
			out = append(out, 0)
		}
		for k, i := source, from+n-1; k >= 0 && i >= from; k, i = entries[k].prefix, i-1 {
			out[i] = entries[k].last
		}
		first := out[from]
		if code == len(entries) {
			out = append(out, first)
		}
		if previous >= 0 && len(entries) < 4096 {
			entries = append(entries, entry{previous, first, entries[previous].length + 1})
		}
		previous = code
		for width < 12 && len(entries)+shift >= 1<<width {
			width++
		}
	}
	return out
}

func decodeASCII85(data []byte) []byte {
	var out []byte
	var group uint32
	n := 0
	for _, c := range data {
		switch {
		case c == '~':
			data = nil
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case '!' <= c && c <= 'u':
			group = group*85 + uint32(c-'!')
			if n++; n == 5 {
				out = append(out, byte(group>>24), byte(group>>16), byte(group>>8), byte(group))
				group, n = 0, 0
			}
		}
		if data == nil {
			break
		}
	}
	if n > 1 {
		for range 5 - n {
			group = group*85 + 84
		}
		for k := range n - 1 {
			out = append(out, byte(group>>(24-8*k)))
		}
	}
	return out
}

func decodeRunLength(data []byte) []byte {
	var out []byte
	for len(data) > 0 && len(out) < maxDecodedStream {
		length := int(data[0])
		data = data[1:]
		switch {
		case length == 128:
			return out
		case length < 128:
			n := min(length+1, len(data))
			out, data = append(out, data[:n]...), data[n:]
		case len(data) > 0:
			out, data = append(out, bytes.Repeat(data[:1], 257-length)...), data[1:]
		}
	}
	return out
}

// undoPredictor undoes the predictor of PDF 32000-1, 7.4.4.4.
func undoPredictor(data []byte, parameters dict, f *file) []byte {
	integer := func(key name, otherwise int) int {
		if n, given := f.number(parameters[key]); given && n >= 1 && n <= 1<<16 {
			return int(n)
		}
		return otherwise
	}
	predictor := integer("Predictor", 1)
	if predictor == 1 {
		return data
	}
	colours, depth := integer("Colors", 1), integer("BitsPerComponent", 8)
	pixel := max(1, colours*depth/8)
	row := (colours*depth*integer("Columns", 1) + 7) / 8
	if predictor == 2 {
		for from := 0; depth == 8 && from < len(data); from += row {
			line := data[from:min(from+row, len(data))]
			for i := pixel; i < len(line); i++ {
				line[i] += line[i-pixel]
			}
		}
		return data
	}
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind, line := data[0], data[1:min(1+row, len(data))]
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line...)
		copy(above, line)
	}
	return out
}

func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	distance := func(b byte) int { return max(p-int(b), int(b)-p) }
	switch l, a, c := distance(left), distance(above), distance(corner); {
	case l <= a && l <= c:
		return left
	case a <= c:
		return above
	}
	return corner
}
