package runner

import (
	"fmt"
	"path/filepath"
	"slices"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
)

// kept holds results of jobs from other runs of a scenario and parts of them, complete or not:
// runs with fewer seeds, other arms or other figures have jobs in common with this one.
type kept struct {
	stores   []keptStore
	warnings []string
	// from are the folders from which a run has taken jobs over, and adopted is their number.
	from    []string
	adopted int
}

// keptStore has the records of one folder.
type keptStore struct {
	dir string
	*checkpoint.Records
}

// keptOf finds the jobs that runs of the scenario have left in the folder of all results,
// under this build and arithmetic. It leaves out the store own. With Again it finds nothing.
func keptOf(s *study.Scenario, options RunOptions, own string) (*kept, error) {
	k := &kept{}
	if options.Again {
		return k, nil
	}
	dirs, err := results.Stores(options.Out, s.Name)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		there, err := checkpoint.Exists(dir)
		if err != nil {
			return nil, err
		}
		if !there || filepath.Clean(dir) == filepath.Clean(own) {
			continue
		}
		id, err := checkpoint.ReadIdentity(dir)
		if err == nil && (id.Build != options.Build || id.Arithmetic != results.Arithmetic()) {
			continue
		}
		var records *checkpoint.Records
		if err == nil {
			records, err = checkpoint.OpenRecords(dir)
		}
		if err != nil {
			k.warnings = append(k.warnings, fmt.Sprintf("the stored jobs of %s cannot be used, and they run again: %v", dir, err))
			continue
		}
		if dir == results.Jobs(filepath.Dir(dir)) { // another process may be writing it
			k.warnCut(records.Cuts())
		}
		k.stores = append(k.stores, keptStore{dir, records})
	}
	return k, nil
}

// warnCut adds warnings about journals with a last record that is cut short.
func (k *kept) warnCut(cuts []string) {
	for _, text := range cuts {
		k.warnings = append(k.warnings, text+"; a run that has the job makes it again")
	}
}

// find returns the records that hold a job, nil if none do.
func (k *kept) find(key checkpoint.Key) *keptStore {
	for i := range k.stores {
		if k.stores[i].Has(key) {
			return &k.stores[i]
		}
	}
	return nil
}

// warnDamaged adds a warning for each folder with the number of jobs that could not be used,
// and the reason for one of them. texts has the reasons by folder.
func (k *kept) warnDamaged(texts map[string][]string) {
	for i := range k.stores {
		dir := k.stores[i].dir
		if why := texts[dir]; len(why) > 0 {
			k.warnings = append(k.warnings, fmt.Sprintf("%d of the jobs that %s has cannot be used, and ran again: %s", len(why), dir, slices.Min(why)))
		}
	}
}

// Close closes the stores.
func (k *kept) Close() {
	for _, store := range k.stores {
		store.Close()
	}
}

// read fills in the result of a job from its record. It reports whether this run would get the
// same result: notes of an arm depend on the number of its seeds as well.
func read(s *study.Scenario, r *jobs.Result, body []byte, theory study.EffortExtent) (bool, error) {
	arm := s.Arms[r.Arm]
	if err := jobs.Read(r, arm, body); err != nil {
		return false, err
	}
	if r.Failure == nil && r.First(s) && !r.NotesHold(s.Seeds.Count, theory) {
		*r = *jobs.New(s, r.Index)
		return false, nil
	}
	return true, nil
}

// adopt takes the result of a job over from other runs, and reports whether they had it.
func (x *executor) adopt(r *jobs.Result) (bool, error) {
	key := x.keys[r.Index]
	from := x.kept.find(key)
	if from == nil {
		return false, nil
	}
	fits := false
	body, _, err := from.Body(key)
	if err == nil {
		fits, err = read(x.scenario, r, body, x.options.Theory)
	}
	if err != nil {
		// Damage in another run's records is no error of this run.
		*r = *jobs.New(x.scenario, r.Index)
		x.log.Warn().Err(err).Msg("a job that is kept cannot be used, and runs again")
		x.mu.Lock()
		defer x.mu.Unlock()
		x.damaged[from.dir] = append(x.damaged[from.dir], err.Error())
		return false, nil
	}
	if !fits || r.Failure != nil { // a failed job is tried again
		*r = *jobs.New(x.scenario, r.Index)
		return false, nil
	}
	if _, err := x.store.Adopt(key, from.Records); err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if folder := filepath.Dir(from.dir); !slices.Contains(x.from, folder) {
		x.from = append(x.from, folder)
	}
	x.adopted++
	return true, nil
}

// finish enters the result of a job that has run.
func (x *executor) finish(r *jobs.Result) error {
	return x.store.Finish(x.keys[r.Index], messages.Write(nil, r))
}

// Missing lists the jobs of a run, or of a part of it, that have to run. The others are
// finished, by the run itself or by other runs with the same jobs.
func Missing(s *study.Scenario, options RunOptions) ([]int, error) {
	all, list := options.Part.Of(s), []int{}
	if options.Again {
		return all, nil
	}
	k, err := keptOf(s, options, "")
	if err != nil {
		return nil, err
	}
	defer k.Close()
	keys := jobs.Keys(s, options.Build)
	for _, i := range all {
		if !k.holds(s, i, keys[i], options.Theory) {
			list = append(list, i)
		}
	}
	return list, nil
}

// holds reports whether this run can take a job over: the record is whole, has the notes that
// this run would have, and is no failure.
func (k *kept) holds(s *study.Scenario, i int, key checkpoint.Key, theory study.EffortExtent) bool {
	from, r, fits := k.find(key), jobs.New(s, i), false
	if from == nil {
		return false
	}
	_, err := from.Visit(key, func(body []byte) (err error) {
		fits, err = read(s, r, body, theory)
		return err
	})
	return err == nil && fits && r.Failure == nil
}
