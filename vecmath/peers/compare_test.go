package peers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

const (
	room      = 10 // neighbours
	rounds    = 2  // each query is asked so often
	batchSize = 192
)

// result is a row of the table: one peer's times in milliseconds, and the ratios to ours.
type result struct {
	name, peer   string
	head         int
	ours, theirs []float64
	load         string
	expected     float64 // times faster; 0 for peers of which that is not written down
}

// short says that we are slower compared with a peer than seven tenths of what was measured; otherwise it is
// empty.
func (r result) short() string {
	const gate = 0.7
	if times := quantile(r.ratios(), 0.5); times < gate*r.expected {
		return fmt.Sprintf("%s: %.1f times faster than %s, expected %.1f and at least %.1f", r.name, times, r.peer, r.expected, gate*r.expected)
	}
	return ""
}

// ratios returns the peer's times in ours, query by query.
func (r result) ratios() []float64 {
	ratios := make([]float64, len(r.ours))
	for i := range ratios {
		ratios[i] = r.theirs[i] / r.ours[i]
	}
	return ratios
}

const tableHead = "| vectors | head | peer | ours, ms | peer, ms | times faster | of single queries, 10-90 % | load |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- |\n"

func (r result) String() string {
	ratios := r.ratios()
	return fmt.Sprintf("| %s | %d | %s | %.2f | %.2f | **%.1f** | %.1f-%.1f | %s |", r.name, r.head, r.peer,
		quantile(r.ours, 0.5), quantile(r.theirs, 0.5), quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9), r.load)
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

// compare runs a case; there are no results where its vectors cannot be had.
func (c testCase) compare(folder string) (results []result, versions string, err error) {
	data, queries, err := c.vectors()
	if err != nil || data == nil {
		return nil, "", err
	}
	count := len(data)/c.dim - queries
	folder, err = os.MkdirTemp(folder, "peers")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "rows")
	if err := os.WriteFile(path, mapped.Bytes(data), 0o600); err != nil {
		return nil, "", err
	}
	x, err := indexed(data[:count*c.dim], c.dim, folder)
	if err != nil {
		return nil, "", err
	}
	asked, err := vecmath.RowsOf(c.dim, slices.Clone(data[count*c.dim:]))
	if err != nil {
		return nil, "", err
	}
	data = nil // only the files are needed, and the peer's memory
	p, err := start(path, c.dim, count, queries, c.peers)
	if err != nil {
		return nil, "", err
	}
	defer p.stop()
	results, err = c.single(x, asked, p)
	if err == nil && c.batch {
		var more []result
		more, err = c.batches(x, asked, p)
		results = append(results, more...)
	}
	return results, p.versions, err
}

// indexed writes an index and opens it, as a base does.
func indexed(data []float32, dim int, folder string) (*vecmath.Index, error) {
	rows, err := vecmath.RowsOf(dim, data)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "index")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	x := vecmath.NewIndex(rows)
	fmt.Fprintf(os.Stderr, "coded %d x %d in %.1f s, head of %d\n", rows.Len(), dim, time.Since(begin).Seconds(), x.HeadDim())
	_, err = x.WriteTo(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return vecmath.OpenIndex(path)
}

// single asks us and the peers every query, each time beginning with another, and fails where they
// find something else.
func (c testCase) single(x *vecmath.Index, asked *vecmath.Rows, p *process) ([]result, error) {
	results := make([]result, len(c.peers))
	for i, peer := range c.peers {
		results[i] = result{name: c.name, peer: peer, head: x.HeadDim(), expected: expected(peer, c.times)}
	}
	found := make([]vecmath.Neighbor, 0, room)
	for turn := range rounds * asked.Len() {
		query := turn % asked.Len()
		q := asked.Row(query)
		var ours float64
		theirs, rows := make([]float64, len(c.peers)), make([][]int, len(c.peers))
		for step := range len(c.peers) + 1 {
			who := (turn + step) % (len(c.peers) + 1)
			var err error
			if who == len(c.peers) {
				begin := time.Now()
				found, err = x.AppendNearestL2(found[:0], q, room, nil)
				ours = milliseconds(time.Since(begin))
			} else {
				theirs[who], rows[who], err = p.one(c.peers[who], query)
			}
			if err != nil {
				return nil, err
			}
		}
		for i := range results {
			if err := agree(x, q, found, rows[i]); err != nil {
				return nil, fmt.Errorf("query %d: %s found something else: %w", query, c.peers[i], err)
			}
			if turn >= asked.Len() { // the first round warms up
				results[i].ours = append(results[i].ours, ours)
				results[i].theirs = append(results[i].theirs, theirs[i])
			}
		}
	}
	for i := range results {
		results[i].load = load()
	}
	return results, nil
}

// batches compares whole batches, by the time a query.
func (c testCase) batches(x *vecmath.Index, asked *vecmath.Rows, p *process) ([]result, error) {
	const tries = 5
	var results []result
	queries, err := vecmath.RowsOf(c.dim, asked.Data()[:batchSize*c.dim])
	if err != nil {
		return nil, err
	}
	for _, peer := range c.peers {
		r := result{name: fmt.Sprintf("%s, batches of %d", c.name, batchSize), peer: peer, head: x.HeadDim(), expected: expected(peer, c.batched)}
		for range tries {
			begin := time.Now()
			if _, err := x.NearestL2Batch(queries, room); err != nil {
				return nil, err
			}
			r.ours = append(r.ours, milliseconds(time.Since(begin))/batchSize)
			theirs, err := p.batch(peer, batchSize)
			if err != nil {
				return nil, err
			}
			r.theirs = append(r.theirs, theirs/batchSize)
		}
		r.load = load()
		results = append(results, r)
	}
	return results, nil
}

// expected returns what is written down of a peer.
func expected(peer string, ofFlat float64) float64 {
	if peer == "faiss flat" {
		return ofFlat
	}
	return 0
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// agree accepts other rows only if their distances are equal except for the peers' rounding,
// which subtract large numbers.
func agree(x *vecmath.Index, q []float32, ours []vecmath.Neighbor, theirs []int) error {
	for i, row := range theirs {
		distance := vecmath.Distance(q, x.Row(row))
		if row != ours[i].Row && (distance-ours[i].Distance)/ours[i].Distance > 1e-3 {
			return fmt.Errorf("row %d at %v, where ours is row %d at %v", row, distance, ours[i].Row, ours[i].Distance)
		}
	}
	return nil
}
