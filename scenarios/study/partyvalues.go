package study

import (
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/personal"
)

// PartyValued is a problem whose nodes are parties with public parameters in its own data.
type PartyValued interface {
	// PartyValues returns the values of all parties in their order, of a column.
	PartyValues(b *Builder, section *document.Node, column string) ([]personal.Value, error)
}

// ColumnsOf returns the columns of parameters of the problem of an arm. A column that was asked for
// while arms are built is known afterwards.
func ColumnsOf(b *Builder, f *File) func(column string) ([]personal.Value, error) {
	known := map[string][]personal.Value{}
	return func(column string) ([]personal.Value, error) {
		if values, ok := known[column]; ok {
			return values, nil
		}
		piece, err := kind.PieceOf[PartyValued](b.Kinds.Problems, f.Problem, "a column of epsilons")
		if err != nil {
			return nil, err
		}
		values, err := piece.PartyValues(b, f.Problem, column)
		if err == nil {
			known[column] = values
		}
		return values, err
	}
}
