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
	GDP         Definition = "GDP"
	SampledRDP  Definition = "RDP"
	NoPrivacy   Definition = "not private"
)
