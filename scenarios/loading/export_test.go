package loading

// What the tests of this package need from outside of it, for their support imports it.
var (
	Below      = below
	Join       = joined
	MergeChain = mergeChain
	LoadFile   = loadFile
	Read       = readText
)

// Layer is one file of a chain.
type Layer = layer
