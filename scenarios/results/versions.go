package results

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Versions says which build ran: what can change the last bits of a result.
type Versions struct {
	Starling string `json:"starling"`
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
	GOAMD64  string `json:"goamd64,omitempty"` // on amd64 only
	// Arithmetic names what the process computed to the last bit; runs of older
	// versions have none.
	Arithmetic string    `json:"arithmetic,omitempty"`
	Settings   []Setting `json:"settings"` // build settings, such as tags and revision
}

// Setting is one build setting as `go version -m` prints it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// keptSettings are the build settings that tell builds apart without naming a
// time or a path of the machine that built.
var keptSettings = []string{
	"-buildmode", "-compiler", "-race", "-tags", "CGO_ENABLED", "GOEXPERIMENT",
	"GOARM64", "GOFIPS140", "vcs.modified", "vcs.revision",
}

// CurrentVersions describes the running program, whose own version is given.
func CurrentVersions(starling string) Versions {
	v := Versions{
		Starling: starling,
		Go:       runtime.Version(),
		GOOS:     runtime.GOOS,
		GOARCH:   runtime.GOARCH,
		Settings: []Setting{},

		Arithmetic: Arithmetic(),
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, setting := range build.Settings {
		if setting.Key == "GOAMD64" {
			v.GOAMD64 = setting.Value
		}
		if slices.Contains(keptSettings, setting.Key) {
			v.Settings = append(v.Settings, Setting{Key: setting.Key, Value: setting.Value})
		}
	}
	slices.SortFunc(v.Settings, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	return v
}
