package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// Status is a finding of Verify.
type Status string

// The statuses, from good to bad.
const (
	StatusOK      Status = "ok"      // present, with the known contents
	StatusSubset  Status = "subset"  // a known subset, with the known contents
	StatusMissing Status = "missing" // not there, or not readable as a file
	StatusDamaged Status = "damaged" // other contents than the known ones
)

// severity orders the statuses.
var severity = map[Status]int{StatusOK: 0, StatusSubset: 1, StatusMissing: 2, StatusDamaged: 3}

// FileReport is Verify's report on a file.
type FileReport struct {
	// Name is in the set's folder, ".gz" included if the file is compressed.
	Name   string // in the set's folder, ".gz" included if it is compressed
	Status Status
	// Records is the number of records that the file should have.
	Records int
	// Note says whether the known contents are the authors', or names the fault.
	Note string
}

// Report is Verify's report on a set. It is about the form that is there, or about the
// canonical form if nothing is there.
type Report struct {
	// Form is the form of which most files are there.
	Set   *Set
	Form  *Form
	Files []FileReport
	// Status is the worst of the files'.
	Status Status
}

// Verify compares the files of a set with the registry: their presence, sizes
// and checksums, which decide their counts too. Errors are about an unknown name, or from the
// file system.
func Verify(folder, name string) (*Report, error) {
	set, err := Find(name)
	if err != nil {
		return nil, err
	}
	form, files, err := locate(folder, set)
	if err != nil {
		return nil, err
	}
	report := &Report{Set: set, Form: form, Status: StatusOK}
	if form.Subset {
		report.Status = StatusSubset
	}
	for _, file := range files {
		checked := verifyFile(file, set, form)
		report.Files = append(report.Files, checked)
		if severity[checked.Status] > severity[report.Status] {
			report.Status = checked.Status
		}
	}
	return report, nil
}

// verifyFile compares one file with the registry.
func verifyFile(file found, set *Set, form *Form) FileReport {
	report := FileReport{Name: file.Name, Status: StatusOK, Records: file.Records, Note: "as its authors distribute it"}
	if !set.distributed(file.File) {
		report.Note = "derived from the authors' files"
	}
	if form.Subset {
		report.Status = StatusSubset
	}
	if file.path == "" {
		report.Status, report.Note = StatusMissing, "neither plain nor "+compressed
		return report
	}
	report.Name = filepath.Base(file.path)
	if note := file.compare(); note != "" {
		report.Status, report.Note = StatusDamaged, note
	}
	return report
}

// distributed reports whether a file has the contents of one that the authors
// distribute; a file of another form can.
func (s *Set) distributed(file File) bool {
	return slices.ContainsFunc(s.Forms[0].Files, func(f File) bool { return f.SHA256 == file.SHA256 })
}

// compare describes the difference of the file from the registry's; "" if there is none.
func (f *found) compare() string {
	sum, size, err := contentSum(f.path)
	switch {
	case err != nil:
		return err.Error()
	case sum == f.SHA256:
		return ""
	}
	// The checksum shows only that there is a fault. Parsing finds its kind and place.
	if err := f.parse(); err != nil {
		return err.Error()
	}
	if size != f.Bytes {
		return fmt.Sprintf("%d bytes of content, want %d", size, f.Bytes)
	}
	return fmt.Sprintf("content has SHA-256 %s, want %s", sum, f.SHA256)
}

// parse reads the file for the error that says where it is damaged.
func (f *found) parse() error {
	switch f.role {
	case ratingLines:
		return nil // reading ratings needs the movies; the checksum must do
	case movieLines:
		return new(Ratings).read(*f)
	}
	return (&ImageSet{Classes: classes, Train: &Images{}, Test: &Images{}}).read(*f)
}

// contentSum returns the SHA-256, in hex, and the size of a file's plain
// content.
func contentSum(path string) (sum string, size int64, err error) {
	c, err := openContent(path)
	if err != nil {
		return "", 0, err
	}
	defer c.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, c); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// Digest returns a SHA-256, in hex, of the contents that LoadImages or
// LoadRatings would read, so that the hash of a run can cover its data. It is
// the same for plain and compressed files. Errors are as from loading, except for faults of
// contents, which are not parsed.
func Digest(folder, name string) (string, error) {
	digest, _, err := digestOf(folder, name)
	return digest, err
}

// digestOf returns a Digest, and the names of the files with other contents than the known
// ones.
func digestOf(folder, name string) (digest string, changed []string, err error) {
	set, err := Find(name)
	if err != nil {
		return "", nil, err
	}
	_, files, err := require(folder, set)
	if err != nil {
		return "", nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "starling data 1\n%s\n", set.Name)
	for _, file := range files {
		sum, size, err := contentSum(file.path)
		if err != nil {
			return "", nil, err
		}
		if sum != file.SHA256 {
			changed = append(changed, filepath.Base(file.path))
		}
		fmt.Fprintf(hash, "%s %d %s\n", file.Name, size, sum)
	}
	return hex.EncodeToString(hash.Sum(nil)), changed, nil
}
