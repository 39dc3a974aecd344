package federated

import (
	"starling/scenarios/study"
)

// A file may list the clients of rounds. The list is public, so that no chance makes privacy better; a client
// that is not there changes no round of another.

// readAttendance reads the list of the clients of rounds, where there is one.
func (p *plan) readAttendance() (err error) {
	of := &p.common.Participation
	if of.Attendance == nil || of.Attendance.File == "" || p.file.Faulty {
		return nil
	}
	var found study.Faults
	for _, key := range []string{"rate", "rates", "cohort", "groups", "apart", "times", "amplified"} {
		if _, given := p.file.Algorithm.Get(key); given {
			found.At("algorithm."+key, "a list has the clients of each round; leave one of this and attendance out")
		}
	}
	if p.file.Clock.ChecksIn() {
		found.At("clock.check_in", "clients that check in are not those of a list; leave this or algorithm.attendance out")
	}
	if p.buffer != nil {
		found.At("algorithm.attendance", "a server with a buffer has no rounds to list; leave this out")
	}
	section, _ := p.file.Algorithm.Get("attendance")
	text, _, err := p.data.File(section, "file", of.Attendance.File)
	if found.Note(err); len(found) > 0 {
		return found.Err()
	}
	*of, err = of.WithList(text, p.file.Nodes, p.file.Horizon+1)
	return p.file.Algorithm.Resolve(err)
}

// noteAttendance notes the list and the participation that privacy rests on.
func (p *plan) noteAttendance(r *study.Remarks) {
	of := &p.common.Participation
	if !of.Lists() {
		return
	}
	r.Add("attendance", "the clients of a round are as %s lists them: the list is public and no sample, and the sum of a round is divided by the mean number of clients", of.Attendance.File)
}

// listedRemark describes an audit of an arm with a list of clients.
const listedRemark = ", of clients that are all in every round: the noise is audited, and not the list"
