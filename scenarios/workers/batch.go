package workers

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// BatchTarget is the system that runs the parts.
type BatchTarget string

// The targets.
const (
	Slurm       BatchTarget = "slurm"
	Kubernetes  BatchTarget = "kubernetes"
	LocalScript BatchTarget = "local"
)

// BatchTargets lists the targets.
func BatchTargets() []BatchTarget { return []BatchTarget{Slurm, Kubernetes, LocalScript} }

// Batch holds the commands to run, and the limits of each part.
type Batch struct {
	// Name is the study's name: lower-case letters, digits, '.', '_' and '-'.
	Name string
	// Parts is the number of parts, at least 1.
	Parts int
	// Program is the path of the program, and Arguments are the arguments of its verb run
	// without --part and --out.
	Program   string
	Arguments []string
	// Out is the folder of all results, which all parts share. Folder is this run's folder in
	// it, or one around it.
	Out, Folder string
	// Scenario is the text of the scenario. For Kubernetes, Image is the container's image,
	// and Claim the volume of the results.
	Scenario     []byte
	Image, Claim string
	// Cores, Memory in bytes and Time are the request of a part.
	Cores  int
	Memory int64
	Time   time.Duration
}

// Write writes the plan for a target.
func (p *Batch) Write(w io.Writer, target BatchTarget) error {
	switch target {
	case Slurm:
		return p.slurm(w)
	case Kubernetes:
		return p.kubernetes(w)
	case LocalScript:
		return p.local(w)
	}
	return fmt.Errorf("unknown target %q; known: %s, %s, %s", target, Slurm, Kubernetes, LocalScript)
}

// Factors between the request of a part and its forecast, and the least requests.
const (
	moreTime, leastTime     = 3, 5 * time.Minute
	moreMemory, leastMemory = 1.5, 256 << 20
)

// BatchRoom returns the time and memory to request for a part with a forecast. They are more than
// the forecast, since a part that exceeds its request is ended.
func BatchRoom(forecast time.Duration, memory int64) (time.Duration, int64) {
	const minute, mebibyte = float64(time.Minute), float64(1 << 20)
	minutes := math.Ceil(float64(moreTime*forecast) / minute)
	mebibytes := math.Ceil(float64(moreMemory*float64(memory)) / mebibyte)
	return max(leastTime, time.Duration(minutes)*time.Minute), max(leastMemory, int64(mebibytes)<<20)
}

// run returns the command of a part; the shell puts in the part's number.
func (p *Batch) run(number string) string {
	words := []string{quote(p.Program), "run"}
	for _, a := range p.Arguments {
		words = append(words, quote(a))
	}
	return strings.Join(append(words, "--part", fmt.Sprintf(`"%s/%d"`, number, p.Parts), "--out", quote(p.Out), "--cores", fmt.Sprint(p.Cores), "--quiet"), " ")
}

// merge returns the command that puts the parts together.
func (p *Batch) merge() string {
	return fmt.Sprintf("%s merge %s --out %s", quote(p.Program), quote(p.Folder), quote(p.Out))
}

// slurm writes a script for sbatch. A part that a node lost is queued again, and goes on.
func (p *Batch) slurm(w io.Writer) error {
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
func (p *Batch) local(w io.Writer) error {
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

// kubernetes writes a ConfigMap with the scenario and a Job; its completions are the parts. A
// pod that ends early is started again, and goes on. The volume of the results is mounted at
// Out.
func (p *Batch) kubernetes(w io.Writer) error {
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

// objectName returns a name that Kubernetes accepts: lower-case letters, digits and '-'.
func objectName(name string) string {
	text := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return '-'
		}
		return r
	}, "starling-"+name)
	const most = 52 // a pod's name is longer than its job's, and has 63 bytes
	return strings.TrimRight(text[:min(len(text), most)], "-")
}

// indented returns a text as a block of YAML.
func indented(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// doubleQuoted returns a text in double quotes, as JSON and YAML read it.
func doubleQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// plainCharacters are the characters that words of a shell can have without quotes.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%"

// quote returns a word of a shell.
func quote(word string) string {
	if word != "" && !slices.ContainsFunc([]rune(word), func(r rune) bool { return !strings.ContainsRune(plainCharacters, r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
