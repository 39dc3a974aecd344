// Package batch writes what has a cluster run the parts of a study: a job array for Slurm,
// an indexed Job for Kubernetes, or a shell script for one machine. Every part is the same
// command with its own number, and asks for the same cores, memory and time.
//
// The package runs nothing, and knows of a study no more than its commands.
package batch

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// Target is what runs the parts.
type Target string

// The targets.
const (
	Slurm      Target = "slurm"
	Kubernetes Target = "kubernetes"
	Local      Target = "local"
)

// Targets lists the targets.
func Targets() []Target { return []Target{Slurm, Kubernetes, Local} }

// Plan is what is to run, and what each part of it may take.
type Plan struct {
	// Name is that of the study: lower-case letters, digits, '.', '_' and '-'.
	Name string
	// Parts is how many parts there are, at least 1.
	Parts int
	// Program is the path of the program, and Arguments are those of its verb run without
	// --part and --out.
	Program   string
	Arguments []string
	// Out is the folder of all results, which all parts share, and Folder that of this run in
	// it, or one around it.
	Out, Folder string
	// Scenario is the text of the scenario, and Image that of the container, Claim the
	// volume of the results, for Kubernetes.
	Scenario     []byte
	Image, Claim string
	// Cores, Memory in bytes and Time are what a part asks for.
	Cores  int
	Memory int64
	Time   time.Duration
}

// Write writes the plan for a target.
func (p *Plan) Write(w io.Writer, target Target) error {
	switch target {
	case Slurm:
		return p.slurm(w)
	case Kubernetes:
		return p.kubernetes(w)
	case Local:
		return p.local(w)
	}
	return fmt.Errorf("unknown target %q; known: %s, %s, %s", target, Slurm, Kubernetes, Local)
}

// What a part may take beyond what was forecast, and takes at least.
const (
	moreTime, leastTime     = 3, 5 * time.Minute
	moreMemory, leastMemory = 1.5, 256 << 20
)

// Room is what a part asks for of which so much time and memory are forecast: more, since a
// part that takes more than it asked for is ended.
func Room(forecast time.Duration, memory int64) (time.Duration, int64) {
	const minute, mebibyte = float64(time.Minute), float64(1 << 20)
	minutes := math.Ceil(float64(moreTime*forecast) / minute)
	mebibytes := math.Ceil(float64(moreMemory*float64(memory)) / mebibyte)
	return max(leastTime, time.Duration(minutes)*time.Minute), max(leastMemory, int64(mebibytes)<<20)
}

// run is the command of a part, whose number the shell puts in.
func (p *Plan) run(number string) string {
	words := []string{quote(p.Program), "run"}
	for _, a := range p.Arguments {
		words = append(words, quote(a))
	}
	return strings.Join(append(words, "--part", fmt.Sprintf(`"%s/%d"`, number, p.Parts), "--out", quote(p.Out), "--cores", fmt.Sprint(p.Cores), "--quiet"), " ")
}

// merge is the command that puts the parts together.
func (p *Plan) merge() string {
	return fmt.Sprintf("%s merge %s --out %s", quote(p.Program), quote(p.Folder), quote(p.Out))
}

// slurm writes a script for sbatch. A part that a node lost is queued again, and goes on.
func (p *Plan) slurm(w io.Writer) error {
	hours, rest := p.Time/time.Hour, p.Time%time.Hour
	_, err := fmt.Fprintf(w, `#!/bin/sh
# The %d parts of %s, for Slurm:
#   parts=$(sbatch --parsable FILE)
#   sbatch --dependency=afterok:$parts --wrap %s
#SBATCH --job-name=%s
#SBATCH --array=1-%d
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=%d
#SBATCH --mem=%dM
#SBATCH --time=%d:%02d:00
#SBATCH --requeue
exec %s
`, p.Parts, p.Name, quote(p.merge()), p.Name, p.Parts, p.Cores, p.Memory>>20, hours, rest/time.Minute,
		p.run("${SLURM_ARRAY_TASK_ID}"))
	return err
}

// local writes a script that runs the parts one after the other and puts them together.
func (p *Plan) local(w io.Writer) error {
	_, err := fmt.Fprintf(w, `#!/bin/sh
# The %d parts of %s, one after the other; each may take %s and %d MiB.
set -e
part=1
while [ "$part" -le %d ]; do
  %s
  part=$((part + 1))
done
%s
`, p.Parts, p.Name, p.Time, p.Memory>>20, p.Parts, p.run("$part"), p.merge())
	return err
}

// kubernetes writes a ConfigMap with the scenario and a Job whose completions are the
// parts. A pod that ends early is started again, and goes on. Out is where the volume of the
// results is mounted.
func (p *Plan) kubernetes(w io.Writer) error {
	name := objectName(p.Name)
	command := "exec " + p.run("$((JOB_COMPLETION_INDEX + 1))")
	_, err := fmt.Fprintf(w, `# The %d parts of %s, for Kubernetes: kubectl apply -f FILE
# Then, where the volume %s is mounted at %s: %s
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
data:
  scenario.yaml: |
%s---
apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completions: %d
  parallelism: %d
  completionMode: Indexed
  backoffLimit: %d
  template:
    spec:
      restartPolicy: OnFailure
      activeDeadlineSeconds: %d
      containers:
        - name: part
          image: %s
          command: ["/bin/sh", "-c", %s]
          resources:
            requests: {cpu: "%d", memory: %dMi}
            limits: {memory: %dMi}
          volumeMounts:
            - {name: scenario, mountPath: /scenario, readOnly: true}
            - {name: results, mountPath: %s}
      volumes:
        - name: scenario
          configMap: {name: %s}
        - name: results
          persistentVolumeClaim: {claimName: %s}
`, p.Parts, p.Name, p.Claim, p.Out, p.merge(), name, indented(p.Scenario), name, p.Parts, p.Parts, 2*p.Parts,
		int64(p.Time/time.Second), doubleQuoted(p.Image), doubleQuoted(command), p.Cores, p.Memory>>20, p.Memory>>20, doubleQuoted(p.Out), name, doubleQuoted(p.Claim))
	return err
}

// objectName is a name that Kubernetes takes: lower-case letters, digits and '-'.
func objectName(name string) string {
	text := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return '-'
		}
		return r
	}, "starling-"+name)
	const most = 52 // the names of pods are longer than that of their job, and have 63
	return strings.TrimRight(text[:min(len(text), most)], "-")
}

// indented is a text as a block of YAML has it.
func indented(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// doubleQuoted is a text in double quotes, as JSON and YAML read it.
func doubleQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// plain are what words of a shell have without quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%"

// quote is a word of a shell.
func quote(word string) string {
	if word != "" && !slices.ContainsFunc([]rune(word), func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
