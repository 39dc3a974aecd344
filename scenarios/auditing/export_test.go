package auditing

import "context"

// JudgeAll begins an audit of subjects, draws their outcomes and judges them.
func (o Options) JudgeAll(ctx context.Context, subjects []*Subject) ([]Audited, error) {
	o.begin()
	return o.judge(ctx, subjects, boundsIn(subjects, &o))
}
