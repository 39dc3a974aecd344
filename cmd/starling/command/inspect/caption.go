package inspect

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/typeset"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/paper"
)

// figureCaption is the caption of a figure in a file of its own; without a file it is none.
type figureCaption struct {
	file, format, bands string
	sentences           []string
}

// The values of --caption that are no files: the name of the figure with .txt, and no caption.
const (
	besideFigure = "beside"
	noCaption    = "none"
)

// source is the last sentence of captions, by which a file is known to be one.
var source = regexp.MustCompile(`[Rr]un ([^ ]+ )?[0-9a-f]{12,64}[,.]`)

// saveCaptions writes the captions of a picture beside it. A file of the name that is no caption,
// such as a paper, stays, and a line says so.
func saveCaptions(errors io.Writer, sentences []string, picture string) error {
	extension := filepath.Ext(picture)
	if sentences == nil || !slices.Contains(figure.PictureExtensions(), extension) {
		return nil
	}
	base := strings.TrimSuffix(picture, extension)
	for _, extension := range figure.CaptionExtensions() {
		text, err := os.ReadFile(base + extension)
		switch {
		case err == nil && !source.Match(text):
			shell.Printf(errors, "%s is no caption, and stays; --caption FILE writes the caption elsewhere\n", base+extension)
			continue
		case err != nil && !os.IsNotExist(err):
			return err
		}
		if err := figure.SaveCaption(sentences, base, extension); err != nil {
			return err
		}
	}
	return nil
}

// captionFile returns the caption without its sentences. It must not lie in the
// folder of a run.
func (f *plotFlags) captionFile(runs []*results.Run) (c figureCaption, err error) {
	if c.file = f.caption; c.file == "" || c.file == noCaption {
		c.file = ""
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
	switch study.Band(f.band) {
	case study.BandSE:
		c.bands = "the standard error of the mean"
	case study.BandSD:
		c.bands = "the standard deviation of a seed"
	case study.BandCI, "":
		c.bands = "the 95 % confidence interval of the mean"
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
