package accountant

// Observer is a position from which a run is seen. A privacy claim says nothing
// without one.
type Observer string

// The observers.
const (
	// Wire sees every message between different parties.
	Wire Observer = "wire"
	// Server sees what the server receives.
	Server Observer = "server"
	// Peer sees what one other client or node receives.
	Peer Observer = "peer"
	// Public sees the models or decisions that are released.
	Public Observer = "public"
)

// Observers lists the observers, the one that sees the most first.
func Observers() []Observer { return []Observer{Wire, Server, Peer, Public} }

// Definition names the kind of privacy that a loss states.
type Definition string

// The definitions.
const (
	PureDP      Definition = "pure"
	Approximate Definition = "(eps, delta)"
	ZCDP        Definition = "zCDP"
	SampledRDP  Definition = "RDP"
	NoPrivacy   Definition = "not private"
)

// Definition returns the definition that states the loss best: that of its most
// general part.
func (l Loss) Definition() Definition {
	switch {
	case !l.Private():
		return NoPrivacy
	case l.Sampled != SampledGaussian{}:
		return SampledRDP
	case l.Delta > 0:
		return Approximate
	case l.Rho > 0 && l.Epsilon == 0:
		return ZCDP
	case l.Rho > 0:
		return Approximate
	}
	return PureDP
}
