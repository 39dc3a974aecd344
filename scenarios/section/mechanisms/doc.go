// Package mechanisms has the sections of mechanisms. Each is a struct with methods for the
// places that its noise can go to: messages, streams of inputs, sums, or a selection. An
// algorithm asks for one of these interfaces and takes every section that has it. The package
// draws no noise: packages under mechanisms at the top of the tree do.
package mechanisms

import (
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/kind"
)

// The interfaces of sections. Each method gets its own section, which has been decoded, for
// the places of errors.
type (
	// OnMessages is independent noise on every message.
	OnMessages interface {
		// Law returns the law of the noise, whatever the section holds; nil if there is no
		// noise.
		Law() noise.Law
		OnMessages(section *document.Node) (Additive, error)
	}
	// OnStreams is noise on a stream of inputs, correlated over time.
	OnStreams interface {
		OnStreams(section *document.Node) (Correlated, error)
	}
	// OnSums is noise on sums of clipped gradients of data that stay.
	OnSums interface {
		// Correlates reports whether sums of a run share their noise, so that their number
		// must be known.
		Correlates() bool
		OnSums(section *document.Node) (Sums, error)
	}
	// OnSamples is noise on sums over samples that are secret, on which its losses count.
	OnSamples interface {
		OnSums
		OnSamples()
	}
	// OnPhases is the paper's noise of private Frank-Wolfe, for the loss that it allows a run.
	OnPhases interface {
		OnPhases(section *document.Node) (accountant.Loss, error)
	}
	// OnThresholds is the noise of the sparse vector technique, for the loss that it allows
	// a run.
	OnThresholds interface {
		OnThresholds(section *document.Node) (accountant.Loss, error)
	}
)

// IsGaussian reports whether noise, if there is any, is Gaussian.
func IsGaussian(m OnMessages) bool { return m.Law() == nil || m.Law() == noise.GaussianLaw }

// TakesNone takes the mechanisms that have no noise, whatever the section holds.
var TakesNone = kind.TakesWhere("no noise", func(m OnMessages) bool { return m.Law() == nil })
