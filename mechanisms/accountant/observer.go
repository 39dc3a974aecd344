package accountant

// Observer is a position from which a run is seen. The same run costs different observers
// different losses: a server that everybody trusts sees raw gradients, and the public
// sees only released models. A privacy claim without an observer therefore says nothing.
type Observer string

// The observers.
const (
	// Wire sees every message between different parties.
	// An eavesdropper on all links at once is the strongest observer that is modelled.
	Wire Observer = "wire"
	// Server sees what the server receives.
	// In a decentralized algorithm there is no server, and this observer sees nothing.
	Server Observer = "server"
	// Peer sees what one other client or node receives.
	// Claims about peers are for the peer that learns the most.
	Peer Observer = "peer"
	// Public sees the models or decisions that are released.
	Public Observer = "public"
)

// Observers lists the observers, the one that sees the most first.
func Observers() []Observer { return []Observer{Wire, Server, Peer, Public} }

// Definition names the kind of privacy that a loss states. Epsilons of different
// definitions must not be compared: a zCDP of 1 and a pure 1 are far apart.
type Definition string

// The definitions.
const (
	// PureDP is epsilon-differential privacy, with delta = 0.
	PureDP Definition = "pure"
	// Approximate is (epsilon, delta)-differential privacy, of mixed parts or by privacy
	// loss distributions.
	Approximate Definition = "(eps, delta)"
	// ZCDP is rho-zero-concentrated differential privacy, of Gaussian noise converted by
	// Rényi methods.
	ZCDP Definition = "zCDP"
	// GDP is mu-Gaussian differential privacy, of Gaussian noise converted exactly.
	GDP Definition = "GDP"
	// SampledRDP is Rényi differential privacy of sampled Gaussian steps.
	SampledRDP Definition = "RDP"
	// NoPrivacy says that no finite epsilon with a delta below 1 holds.
	NoPrivacy Definition = "not private"
)
