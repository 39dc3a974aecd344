package bundle

import (
	"fmt"
	"strings"

	"starling/scenarios/document"
)

// readme returns the text of README.md in the archive of a name. The README is not among the
// files that it lists.
func readme(x *Index, archive string) []byte {
	var b strings.Builder
	command := "starling verify " + document.Word(archive)
	if x.Absent() != nil {
		command += " --data DIR"
	}
	if x.Code {
		command += " --python"
	}
	fmt.Fprintf(&b, "# A run of %s\n\nThis archive has all that the run needs, and its results in short. Check it with\n\n    %s\n\n", x.Scenario, command)
	b.WriteString("which makes the run again and compares the digest, the ledger of privacy losses\nand the verdicts on claims. Equal digests are equal runs, to the last bit.\n\n")
	fmt.Fprintf(&b, "    digest  %s\n    hash    %s\n", x.Digest, x.Hash)
	if x.Code {
		b.WriteString("\nThe run names code in Python, which is in this archive: read it first, and give\n--python to run it.\n")
	}
	if absent := x.Absent(); absent != nil {
		b.WriteString("\nThese files of data are not in the archive. Give the folder that has them by\n--data DIR:\n\n")
		for _, f := range absent {
			fmt.Fprintf(&b, "    %s  %d bytes  sha256 %s\n", named(f), f.Size, f.SHA256)
		}
	}
	b.WriteString("\nFiles, with their SHA-256 in bundle.json:\n\n")
	for _, f := range x.Files {
		if f.Name == readmeName || f.Absent {
			continue
		}
		fmt.Fprintf(&b, "    %-9s  %s\n", f.Role, f.Name)
	}
	b.WriteString("\nThe versions of the program, of Go and of the machine are in\nexpected/manifest.json.\n")
	return []byte(b.String())
}
