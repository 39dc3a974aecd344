package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"starling/actors/atomicfile"
	"starling/scenarios/results"
)

// Name is the name of the file in the folder of a run, or of a part of one.
const Name = "progress.json"

// Version is the version of the format. Fields are added without a new version; a reader
// ignores fields that it does not know.
const Version = 1

// State is the activity of the process that wrote the file.
type State string

// The states of a run that has the file.
const (
	Running State = "running" // steps are made
	Writing State = "writing" // all steps are made, and the results are being written
	Stopped State = "stopped" // interrupted; the same command goes on
	Failed  State = "failed"  // ended with an error
	Done    State = "done"    // all jobs of a part of a run are made
)

// Run is the content of the file. Times are by the clock of Host.
type Run struct {
	Format   int    `json:"format"`
	Scenario string `json:"scenario"`
	Hash     string `json:"hash"`
	// Part is the share of the runs under a seed that is made here, such as 3/16; empty is
	// all of them.
	Part  string `json:"part,omitempty"`
	State State  `json:"state"`
	// Error is the error of the run, where it failed.
	Error string `json:"error,omitempty"`
	// Work describes the preparation that runs wait for before their first steps, with its
	// progress and its time so far, for people; empty where nothing takes long.
	Work string `json:"work,omitempty"`
	// Process and Host identify the process that wrote the file.
	Process int    `json:"process"`
	Host    string `json:"host"`
	// Started is the time at which this start of the run began, and Updated the time at which
	// the file was written.
	Started time.Time `json:"started"`
	Updated time.Time `json:"updated"`
	// Elapsed is the time of this start so far, and ElapsedBefore the time of the earlier
	// ones, in seconds.
	Elapsed       float64 `json:"elapsed"`
	ElapsedBefore float64 `json:"elapsed_before"`
	// Next is the number of seconds after which the file will be written again, at the latest.
	// A file that is much older is of a process that has stopped writing.
	Next float64 `json:"next"`
	// Runs and Steps count all runs and steps, and those that are done. A run is one arm under
	// one seed.
	Runs  Count `json:"runs"`
	Steps Count `json:"steps"`
	// Speed is the number of steps a second in the last seconds, and Left the number of
	// seconds that the rest will take; null where that is not known yet.
	Speed *float64 `json:"speed"`
	Left  *float64 `json:"left"`
	// Workers is the number of runs that are made at a time.
	Workers int `json:"workers"`
	// Memory is the number of bytes that the process has from the system, and MemoryPeak the
	// most that was seen.
	Memory     int64         `json:"memory"`
	MemoryPeak int64         `json:"memory_peak"`
	Seeds      results.Seeds `json:"seeds"`
	FirstStep  int           `json:"first_step"`
	Arms       []ArmProgress `json:"arms"`
	// Warnings are the first warnings of the runs that are done; WarningsMore is the number of
	// the others.
	Warnings     []Warning `json:"warnings"`
	WarningsMore int       `json:"warnings_more"`
	// Later are the statistics over all seeds, which are recorded when these are done.
	Later []string `json:"later,omitempty"`
	// Curves are the metrics of whole runs recorded so far, by arm and then by name.
	Curves []Curve `json:"curves"`
}

// Count is an amount, and the part of it that is done. Before is the part of Done that an
// earlier start, or another run, had done: it took no time of this start.
type Count struct {
	All    int64 `json:"all"`
	Done   int64 `json:"done"`
	Before int64 `json:"before"`
}

// ArmProgress is the progress of the runs of one arm.
type ArmProgress struct {
	Name string `json:"name"`
	// Values are the values that the arm sets in the scenario.
	Values []results.Value `json:"values,omitempty"`
	// Horizon is the number of steps of each of its runs.
	Horizon int   `json:"horizon"`
	Runs    Count `json:"runs"`
	// Seeds has a letter for each seed, in their order. d is done, b was done before this
	// start, f has failed or is not made since one before it has failed, r is running, w
	// waits, and - is of another part. It is absent for an arm with more than MostSeeds seeds.
	Seeds string `json:"seeds,omitempty"`
	// Running are the runs under way, by seed.
	Running []Job `json:"running,omitempty"`
}

// MostSeeds is the largest number of seeds for which an arm has a letter each.
const MostSeeds = 4096

// Job is a run of an arm under a seed that is under way.
type Job struct {
	Seed  uint64 `json:"seed"`
	Steps int    `json:"steps"`
}

// Warning is a remark that a reader of the numbers must know; see results.Warning.
type Warning struct {
	Code    string `json:"code,omitempty"`
	Arm     string `json:"arm,omitempty"`
	Message string `json:"message"`
}

// Curve is a metric of the runs of an arm that are done or under way. All lists have one
// length. A long curve has some of its steps, and always the last.
type Curve struct {
	Arm    string  `json:"arm"`
	Metric string  `json:"metric"`
	Steps  []int64 `json:"steps"`
	// Mean is over the seeds that have recorded the step, and SE its standard error, null
	// where fewer than two have. N is the number of seeds that have.
	Mean []Float `json:"mean"`
	SE   []Float `json:"se"`
	N    []int   `json:"n"`
	// AtPauses means that, for runs under way, the metric is as of their last rest for saving
	// their state. Other metrics are known a few seconds after their step.
	AtPauses bool `json:"at_pauses,omitempty"`
}

// Float is a number that is null in JSON where it is infinite or NaN; it is read as NaN.
type Float float64

// MarshalJSON implements json.Marshaler. Six digits are enough for a curve.
func (x Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(x), 'g', 6, 64), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Float) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

// Fraction is the share of the steps that are done, from 0 to 1.
func (r *Run) Fraction() float64 {
	if r.Steps.All <= 0 {
		return 0
	}
	return min(1, max(0, float64(r.Steps.Done)/float64(r.Steps.All)))
}

// Took is the number of seconds that all starts of the run have taken so far.
func (r *Run) Took() float64 { return r.ElapsedBefore + r.Elapsed }

// Write replaces the file in the folder dir, which must exist. The file is not flushed to
// the disk: after a power cut it may be empty or old, which harms no run.
func (r *Run) Write(dir string) error {
	return atomicfile.Publish(filepath.Join(dir, Name), func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// mostBytes is the largest size of a file that is read.
const mostBytes = 64 << 20

// Read reads the file in the folder dir. It returns nil without an error where there is
// none, and an error that names the file where that is damaged.
func Read(dir string) (*Run, error) {
	path := filepath.Join(dir, Name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path) // opening a pipe would block
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil && len(text) > mostBytes {
		err = fmt.Errorf("it has more than %d bytes", mostBytes)
	}
	var r *Run
	if err == nil {
		r, err = Decode(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Decode reads the text of a file and checks that a reader can rely on its content.
func Decode(text []byte) (*Run, error) {
	r := &Run{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Format != Version {
		return nil, fmt.Errorf("format is %d, this program reads %d", r.Format, Version)
	}
	for _, c := range []Count{r.Runs, r.Steps} {
		if c.All < 0 || c.Done < 0 || c.Before < 0 {
			return nil, errors.New("a count is negative")
		}
	}
	for i := range r.Curves {
		c := &r.Curves[i]
		if n := len(c.Steps); len(c.Mean) != n || len(c.SE) != n || len(c.N) != n {
			return nil, fmt.Errorf("curves[%d]: lists of %d, %d, %d and %d", i, n, len(c.Mean), len(c.SE), len(c.N))
		}
	}
	return r, nil
}

// Remove removes the file in the folder dir; there need not be one.
func Remove(dir string) error {
	if err := os.Remove(filepath.Join(dir, Name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
