package study

import "starling/scenarios/document"

// Tune is the section tune of a scenario: trials from which the values of keys are chosen, for each
// arm of the sweep. Runs of a scenario do not read it; a TuningPlan does.
type Tune struct {
	Metric     string         `yaml:"metric,required" range:"a metric of validation rows" doc:"metric by which values are chosen: its mean over the seeds of the trials at the last step, of validation rows, such as validation.loss"`
	Validation string         `yaml:"validation" oneof:"private public" doc:"privacy of the validation rows: private, and the choice then shows them without noise, or public; absent, private"`
	Seeds      TuneSeeds      `yaml:"seeds,required" doc:"seeds of the trials, none of them a seed of the scenario"`
	Grid       *document.Node `yaml:"grid" doc:"maps keys to lists of values; trials are all combinations, the last key varying fastest. A key is a path such as algorithm.clip, or a role such as rate, which stands for each algorithm's own step size; absent, random or halving has the trials"`
	Random     *TuneRandom    `yaml:"random" doc:"trials with values that are drawn; absent, grid or halving has the trials"`
	Halving    *TuneHalving   `yaml:"halving" doc:"trials that begin with few steps, of which the best go on with more (successive halving: Jamieson, Talwalkar 2016); absent, grid or random has the trials"`
}

// Tuned states the choice for an arm, and the cost of the trials. It is a part of the scenario, so
// that its results keep it.
type Tuned struct {
	Arm  string `yaml:"arm,required" range:"the name of an arm" doc:"the arm"`
	Says string `yaml:"says,required" range:"any text" doc:"the values, the trials and their cost"`
}

// TuneSeeds are the seeds base, base+1, .. of trials.
type TuneSeeds struct {
	Base  uint64 `yaml:"base,required" min:"0" max:"9223372036853775807" says:"base %v" unit:"seed number" doc:"first seed"`
	Count int    `yaml:"count" min:"1" max:"1000" says:"%v seeds" unit:"seeds" doc:"number of seeds, under each of which every trial is run once; absent, 1"`
}

// TuneRandom draws trials.
type TuneRandom struct {
	Trials   int            `yaml:"trials" min:"1" max:"1000" says:"%v trials" unit:"trials" doc:"number of trials; absent, stopping draws it"`
	Keys     *document.Node `yaml:"keys,required" doc:"maps keys, as in grid, to laws: {log-uniform: [low, high]}, {uniform: [low, high]}, or a list of values of which each is as likely"`
	Stopping *TuneStopping  `yaml:"stopping" doc:"law of a random number of trials, for which only the trial that is chosen costs privacy (Papernot, Steinke 2022); absent, the number is trials"`
}

// TuneStopping is the law of a random number of trials.
type TuneStopping struct {
	Kind string  `yaml:"kind,required" oneof:"poisson truncated-negative-binomial" doc:"poisson, of their Theorem 6, or truncated-negative-binomial, of their Theorem 2"`
	Mean float64 `yaml:"mean,required" over:"1" max:"500" says:"a mean of %v" unit:"trials" doc:"expected number of trials"`
	Eta  float64 `yaml:"eta" over:"-1" max:"10" says:"eta = %v" unit:"none" doc:"shape of truncated-negative-binomial: 0 is the logarithmic law, 1 the geometric one; absent, 0"`
}

// TuneHalving draws trials, and runs the best of them with more and more steps.
type TuneHalving struct {
	Trials int            `yaml:"trials,required" min:"2" max:"1000" says:"%v trials" unit:"trials" doc:"number of trials in the first round"`
	Keep   float64        `yaml:"keep,required" over:"0" under:"1" says:"a share of %v" unit:"share of trials" doc:"share of the trials of a round that go on, one at least, such as 0.3334; steps grow by the inverse"`
	Steps  int            `yaml:"steps,required" min:"1" max:"10000000" says:"%v steps" unit:"steps" doc:"horizon of the first round; the last round has at most the horizon of the scenario"`
	Keys   *document.Node `yaml:"keys,required" doc:"maps keys to laws, as of random"`
}

// TunePublic is the value of Tune.Validation for rows that are nobody's.
const TunePublic = "public"
