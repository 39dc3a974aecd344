package external

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

// Libraries says what stands behind modules that code in a folder imports, by their names:
// the versions of what is installed, and a digest of code that is not. Modules of Python
// itself and those that there are not are left out. Nothing is imported. The error is that of
// an interpreter that cannot be used.
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
		return nil, fmt.Errorf("%s does not say what is installed: %w", path, err)
	}
	found := map[string]string{}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("%s does not say what is installed: %w", path, err)
	}
	return found, nil
}
