package results

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// Versions describes the build that ran, and everything else that can change the last bits of
// a result.
type Versions struct {
	Starling string `json:"starling"`
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
	GOAMD64  string `json:"goamd64,omitempty"` // on amd64 only
	GOARM64  string `json:"goarm64,omitempty"` // on arm64 only
	// Features are the features of the processor that Go chooses instructions by, without
	// those that GODEBUG switches off.
	Features []string `json:"features,omitempty"`
	// Arithmetic names the arithmetic of the process: see Arithmetic. Runs of older versions
	// have none.
	Arithmetic string              `json:"arithmetic,omitempty"`
	Settings   []ArithmeticSetting `json:"settings"` // build settings, such as tags and revision
}

// ArithmeticSetting is one build setting as `go version -m` prints it.
type ArithmeticSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// keptSettings are the build settings that tell builds apart without naming a
// time or a path of the machine that built.
var keptSettings = []string{
	"-buildmode", "-compiler", "-race", "-tags", "CGO_ENABLED", "GOEXPERIMENT",
	"GOARM64", "GOFIPS140", "vcs.modified", "vcs.revision",
}

// CurrentVersions describes the running program; starling is its version.
func CurrentVersions(starling string) Versions {
	v := Versions{
		Starling: starling,
		Go:       runtime.Version(),
		GOOS:     runtime.GOOS,
		GOARCH:   runtime.GOARCH,
		Settings: []ArithmeticSetting{},
		Features: features(),

		Arithmetic: Arithmetic(),
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "GOAMD64":
			v.GOAMD64 = setting.Value
		case "GOARM64":
			v.GOARM64 = setting.Value
		}
		if slices.Contains(keptSettings, setting.Key) {
			v.Settings = append(v.Settings, ArithmeticSetting{Key: setting.Key, Value: setting.Value})
		}
	}
	slices.SortFunc(v.Settings, func(a, b ArithmeticSetting) int { return strings.Compare(a.Key, b.Key) })
	return v
}

// features are the extensions of the processor for floating point that the standard
// library and the kernels ask for. arm64 has all of its own everywhere.
func features() (list []string) {
	off := strings.Split(os.Getenv("GODEBUG"), ",")
	for _, f := range []struct {
		name string
		has  bool
	}{{"sse41", cpu.X86.HasSSE41}, {"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}} {
		if f.has && !slices.Contains(off, "cpu."+f.name+"=off") {
			list = append(list, f.name)
		}
	}
	return list
}
