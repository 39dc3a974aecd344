package pyproblem

import (
	"context"
	_ "embed" // of libraries.py
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

//go:embed libraries.py
var libraries string

// Libraries identifies the modules that code in a folder imports, by their names: by the
// version of an installed library, or by a digest of other code. It leaves out modules of
// Python itself and modules that do not exist. Nothing is imported. An interpreter that cannot
// be used is an error.
func Libraries(folder string, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	path, err := Interpreter()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	command := exec.CommandContext(ctx, path, append([]string{"-c", libraries, folder}, names...)...)
	command.Env, command.WaitDelay = environment(1, 0), time.Second
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s does not list its installed packages: %w", path, err)
	}
	found := map[string]string{}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("%s does not list its installed packages: %w", path, err)
	}
	return found, nil
}
