package scenarios

import "starling/scenarios/document"

// networkSection is the network that no kind needs more than its name for.
type networkSection struct {
	Kind string `yaml:"kind,required"`
}

// networkBuilder reads the section of a network.
type networkBuilder = func(section *document.Node) error

// networks are the kinds of networks: what becomes of messages on their way.
var networks = []kind[networkBuilder]{
	{Entry: Entry{Kind: "ideal", Summary: "messages arrive in the next turn, none is lost"}, build: checkIdeal, section: networkSection{}},
}

// Networks lists the networks.
func Networks() []Entry { return entries(networks) }

func checkIdeal(section *document.Node) error {
	var s networkSection
	return document.Decode(section, &s)
}

// checkNetwork checks the section of a network.
func checkNetwork(section *document.Node) error {
	check, err := find(networks, section)
	if err != nil {
		return err
	}
	return check(section)
}
