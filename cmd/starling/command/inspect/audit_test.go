package inspect

import (
	"strings"
	"testing"

	"starling/mechanisms/audit"
	"starling/scenarios/auditing"
)

// TestAuditVerdicts: each finding is in the verdict of its row and in the error of the audit, and
// a row without findings is in neither.
func TestAuditVerdicts(t *testing.T) {
	fine := auditing.Audited{Finding: audit.Finding{Accounted: 2, Audited: 1, Reach: 3}}
	exceeded, moved := fine, fine
	exceeded.Audited, exceeded.Shown = 2.5, 400
	moved.Beyond = 1.5
	both := exceeded
	both.Beyond = 1.5
	for _, test := range []struct {
		rows           []auditing.Audited
		verdict, fault string // of the last row, and of the audit
	}{
		{[]auditing.Audited{fine}, "not refuted", ""},
		{[]auditing.Audited{fine, exceeded}, "exceeded, with 400 samples", "x: outcomes exceed the accounted loss in 1 of 2 rows"},
		{[]auditing.Audited{fine, moved}, "a release moves 1.5 times as far as stated", "x: the inputs move a release further than is stated in 1 of 2 rows"},
		{[]auditing.Audited{moved, both}, "exceeded, with 400 samples", "x: outcomes exceed the accounted loss in 1 of 2 rows, and the inputs move a release further than is stated in 2"},
	} {
		last := &test.rows[len(test.rows)-1]
		if got := auditVerdict(last); !strings.HasPrefix(got, test.verdict) {
			t.Errorf("the verdict is %q; want %q", got, test.verdict)
		}
		got := ""
		if err := auditFailure("x", test.rows); err != nil {
			got = err.Error()
		}
		if got != test.fault {
			t.Errorf("the fault is %q; want %q", got, test.fault)
		}
	}
}
