package results

import (
	"fmt"
	"io"

	"starling/actors/atomicfile"
)

// HashRows adds the rows to the digest of the job, in their order. A job that was read by
// State needs Load first.
func (j *Job) HashRows(h *Hash) {
	for i := range j.samples {
		s := &j.samples[i]
		h.row(s.step, s.node, j.metrics[s.metric], s.value)
	}
}

// Verify compares the rows with the proof of the job.
func (j *Job) Verify(p Proof) error {
	if err := j.Load(); err != nil {
		return err
	}
	return p.verify(j.HashRows)
}

// WriteProven is WriteJob of a job with its proof, which digests.jsonl will have. Either all
// jobs of a run have a proof, or none has. The job's rows of privacy.parquet follow, before
// the next job.
func (f *Folder) WriteProven(job *Job, p Proof) error {
	f.book.Add(job.arm, job.seed, job.Len(), p)
	return f.WriteJob(job)
}

// Digest returns the digest of the run. All jobs must have been written with their proofs.
func (f *Folder) Digest(failures []Failure) string { return runDigest(f.book.Lines(), failures) }

// writeDigests writes digests.jsonl, if the jobs have proofs.
func (f *Folder) writeDigests() error {
	lines := f.book.Lines()
	if len(lines) == 0 {
		return nil
	}
	if len(lines) != f.writer.Jobs() {
		return fmt.Errorf("%d of %d jobs were written with a proof", len(lines), f.writer.Jobs())
	}
	size, sum, err := atomicfile.Write(f.path(digestsName), func(w io.Writer) error { return writeDigests(w, lines) })
	f.list(digestsName, size, sum)
	return err
}

// mostDigests is the largest size of digests.jsonl, in bytes.
const mostDigests = 1 << 30

// check compares a file with its entry in the manifest, and its records with digests.jsonl.
// The error of a damaged file names the record, where that is known.
func (r *Run) check(file FileEntry) error {
	damage := verify(r.path(file.Name), file)
	record := r.checkRecords(file.Name)
	switch {
	case damage == nil:
		return record
	case record == nil:
		return damage
	}
	return fmt.Errorf("%w\n%w", damage, record)
}

// checkRecords compares the records of a table with digests.jsonl. Runs of older versions have
// no digests.jsonl, and other files have no records.
func (r *Run) checkRecords(name string) error {
	if !r.Manifest.lists(digestsName) || name != metricsName && name != privacyName && name != digestsName {
		return nil
	}
	text, err := ReadSmall(r.path(digestsName), mostDigests)
	if err != nil {
		return err
	}
	lines, err := readDigests(text)
	if err != nil {
		return fmt.Errorf("%s is damaged: %w", r.path(digestsName), err)
	}
	switch name {
	case metricsName:
		err = checkMetrics(r.path(name), lines)
	case privacyName:
		err = checkPrivacy(r.path(name), lines)
	default:
		if of := runDigest(lines, r.Manifest.Failures); of != r.Manifest.Digest {
			err = fmt.Errorf("its jobs have the digest %s together, and the manifest says %s", of, r.Manifest.Digest)
		}
	}
	if err != nil {
		return fmt.Errorf("%s does not agree with %s: %w", r.path(name), digestsName, err)
	}
	return nil
}
