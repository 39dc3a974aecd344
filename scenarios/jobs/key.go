package jobs

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
)

// aside are the keys of a scenario on which no bit of a job depends: names and texts, the
// other arms and seeds, figures, and the section checkpoint.
var aside = []string{"name", "extends", "description", "paper", "seeds", "sweep", "plots", "checkpoint"}

// Keys returns the keys of the jobs of a scenario under a build, in the canonical order. A key
// covers all on which the bits of a job depend: the arm with its values, its recorded metrics,
// its seed, the data that the scenario reads, the build and its arithmetic. It covers neither
// the number of seeds nor the other arms, so that runs with more of them have the same jobs.
func Keys(s *study.Scenario, build string) []checkpoint.Key {
	keys := make([]checkpoint.Key, Count(s))
	for a, arm := range s.Arms {
		of := armSum(s, arm, build)
		for k := range s.Seeds.Count {
			i := a*s.Seeds.Count + k
			h := sha256.New()
			h.Write(of)
			h.Write(binary.LittleEndian.AppendUint64(nil, SeedOf(s, i)))
			copy(keys[i][:], h.Sum(nil))
		}
	}
	return keys
}

// armSum returns a digest of everything on which all jobs of an arm depend.
func armSum(s *study.Scenario, arm *study.Arm, build string) []byte {
	h := sha256.New()
	put := func(format string, args ...any) { writeFramed(h, fmt.Appendf(nil, format, args...)) }
	put("%s, arithmetic %s", build, results.Arithmetic())
	// Data of problems, the first graphs and the notes come from the first seed.
	put("first seed %d", s.Seeds.Base)
	if study.AllSeeds(arm) {
		put("%d seeds", s.Seeds.Count)
	}
	for _, d := range s.Data {
		put("%s %s", d.Name, d.Sha256)
	}
	put("%q", slices.Sorted(slices.Values(arm.File.Measure.AlsoRecord)))
	for key, value := range parameters(arm) {
		put("%s", key)
		writeNode(h, value)
	}
	return h.Sum(nil)
}

// parameters returns the keys at the top of an arm's scenario, with their values, on which the
// bits of its jobs depend.
func parameters(arm *study.Arm) iter.Seq2[string, *document.Node] {
	return func(yield func(string, *document.Node) bool) {
		for key, value := range withoutHeadline(arm.Document).Root().Entries() {
			if !slices.Contains(aside, key) && !yield(key, value) {
				return
			}
		}
	}
}

// withoutHeadline returns a document without measure.headline, and without a section measure of
// nothing else.
func withoutHeadline(doc *document.Document) *document.Document {
	path := study.HeadlinePath
	if _, ok := doc.Find(path); !ok {
		return doc
	}
	if section, _ := doc.Find("measure"); section.Len() == 1 {
		path = "measure"
	}
	rest, err := doc.Delete(path)
	if err != nil {
		panic(err) // it was found
	}
	return rest
}

// writeNode writes a value, so that no two values have equal bytes. The order of the keys of a
// mapping does not count.
func writeNode(h hash.Hash, node *document.Node) {
	writeFramed(h, fmt.Appendf(nil, "%d %d", node.Kind(), node.Len()))
	switch node.Kind() {
	case document.Mapping:
		type entry struct {
			key   string
			value *document.Node
		}
		var entries []entry
		for key, value := range node.Entries() {
			entries = append(entries, entry{key, value})
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		for _, e := range entries {
			writeFramed(h, []byte(e.key))
			writeNode(h, e.value)
		}
	case document.Sequence:
		for _, item := range node.Items() {
			writeNode(h, item)
		}
	default:
		writeFramed(h, []byte(node.Value()))
	}
}

// writeFramed writes a length and that many bytes, so that no two sequences of writes have
// equal bytes.
func writeFramed(h hash.Hash, b []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
	h.Write(length[:])
	h.Write(b)
}
