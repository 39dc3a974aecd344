package inspect

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/typeset"
	"starling/scenarios/study/plots"
	"starling/scenarios/view"
	"starling/scenarios/view/paper"
)

// figureCaption is the caption of a figure in a file of its own; without a file it is none.
type figureCaption struct {
	file, format, bands string
	sentences           []string
}

// besideFigure is the value of --caption for the name of the figure with .txt.
const besideFigure = "beside"

// captionFile returns the caption without its sentences. It must not lie in the
// folder of a run.
func (f *plotFlags) captionFile(runs []*results.Run) (c figureCaption, err error) {
	if c.file = f.caption; c.file == "" {
		return c, nil
	}
	if c.file == besideFigure {
		c.file = strings.TrimSuffix(f.out, filepath.Ext(f.out)) + ".txt"
	}
	known := true
	if c.format, known = typeset.FormatOf(c.file); !known || c.format == typeset.CSV {
		return c, fmt.Errorf("--caption %s: the extension must be one of .txt, .md, .tex, .html; or --caption %s", c.file, besideFigure)
	}
	for _, run := range runs {
		if shell.Outside(c.file, run.Dir) != nil {
			return c, fmt.Errorf("--caption %s lies in the results folder %s, which must not change", c.file, run.Dir)
		}
	}
	switch plots.Band(f.band) {
	case plots.SE:
		c.bands = "the standard error of the mean"
	case plots.SD:
		c.bands = "the standard deviation of a seed"
	}
	return c, nil
}

// describe adds the sentences on each run.
func (c *figureCaption) describe(runs []*results.Run, metrics metric.List, arms []string, title string) error {
	if c.file == "" {
		return nil
	}
	for _, run := range runs {
		read, err := view.Read(run, metrics)
		if err != nil {
			return err
		}
		sentences, err := paper.Describe(read, arms, title, c.bands)
		if err != nil {
			return err
		}
		c.sentences = append(c.sentences, sentences...)
		title = run.Manifest.Scenario // the title of the figure stands once
	}
	return nil
}

// save writes the file.
func (c *figureCaption) save() error {
	if c.file == "" {
		return nil
	}
	_, _, err := atomicfile.Write(c.file, func(w io.Writer) error { return typeset.Caption(w, c.format, c.sentences) })
	return err
}
