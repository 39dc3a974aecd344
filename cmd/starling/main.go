// Command starling runs scenarios of private online learning by many parties
// and keeps their results.
package main

import (
	"starling/cmd/starling/command"
	"starling/scenarios"
)

func main() { command.Main(scenarios.Catalog()) }
