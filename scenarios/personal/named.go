package personal

import (
	"fmt"
	"slices"
	"strconv"

	"starling/scenarios/document"
)

// NodeNames are numbers or names of nodes, as texts.
type NodeNames []string

// DecodeNode implements document.NodeDecoder.
func (l *NodeNames) DecodeNode(node *document.Node) error {
	if node.Kind() != document.Sequence || node.Len() == 0 {
		return node.Issuef("expected a list of nodes, got %s", node.Text())
	}
	var found document.Issues
	for _, item := range node.Items() {
		if err := isNode(item); err != nil {
			found = append(found, *err)
		}
		*l = append(*l, item.Value())
	}
	return found.Err()
}

// isNode returns an issue if a value is neither the number nor the name of a node.
func isNode(node *document.Node) *document.Issue {
	if k := node.Kind(); k != document.Integer && k != document.String {
		issue := node.Issuef("expected the number or the name of a node, got %s", node.Text())
		return &issue
	}
	return nil
}

// NodeRef is the number of a node or, of a network with names of nodes, its name. A text is a name, and an
// integer is a number, as results have it, even where names are digits.
type NodeRef struct {
	Number int
	Name   string // empty is a number
}

// DecodeNode implements document.NodeDecoder.
func (r *NodeRef) DecodeNode(node *document.Node) error {
	if err := isNode(node); err != nil {
		return *err
	}
	if node.Kind() == document.String {
		r.Name = node.Value()
		return nil
	}
	number, err := strconv.Atoi(node.Value())
	if err != nil {
		return node.Issuef("expected the number or the name of a node, got %s", node.Text())
	}
	r.Number = number
	return nil
}

// In returns the number of the node in a network of nodes with names, nil where they have none.
// The first node of the network has the number first.
func (r NodeRef) In(names []string, first int) (int, error) {
	switch k := slices.Index(names, r.Name); {
	case r.Name == "":
		return r.Number, nil
	case names == nil:
		return 0, fmt.Errorf("node is %q, want a whole number: nodes have no names here", r.Name)
	case k < 0:
		return 0, fmt.Errorf("there is no node %q; there are %d, with names", r.Name, len(names))
	default:
		return first + k, nil
	}
}
