package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/remote"
)

// refusals are the lines of a log that say who was refused, and how many refusals they tell
// of.
func (j *journal) refusals(t *testing.T) (lines, refusals int) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for scan := bufio.NewScanner(bytes.NewReader(j.text.Bytes())); scan.Scan(); {
		var said struct {
			Message string
			Times   int
		}
		if err := json.Unmarshal(scan.Bytes(), &said); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(said.Message, "refused a caller") {
			lines, refusals = lines+1, refusals+max(1, said.Times)
		}
	}
	return lines, refusals
}

// A certificate that one side refuses is named at once, in a process that tries again and
// again it makes few handshakes, and no more lines of a log than one and its count.
func TestRefusedCertificates(t *testing.T) {
	lab := laboratory(t, "127.0.0.1", "elsewhere.example")
	expire(t, lab, "127.0.0.1", "expired")
	for _, test := range []struct {
		name, worker, call string
		said               string
	}{
		{"misnamed worker", "elsewhere.example", "127.0.0.1", "its certificate is refused: tls: failed to verify certificate: x509: "},
		{"expired worker", "expired", "127.0.0.1", "certificate has expired"},
		{"expired caller", "127.0.0.1", "expired", "it refuses this process: remote error: tls: "},
		// Who is called does not look at the caller's name, and cannot answer.
		{"misnamed caller", "127.0.0.1", "elsewhere.example", "a caller from its host refuses this process: remote error: tls: bad certificate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := &journal{}
			worker := start(t, remote.Options{Identity: identityOf(t, lab, test.worker), Accept: echo, Log: zerolog.New(log)})
			caller := start(t, remote.Options{Identity: identityOf(t, lab, test.call), Log: zerolog.New(log)})
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			began := time.Now()
			_, err := caller.Open(ctx, worker.Address())
			if took := time.Since(began); err == nil || !strings.Contains(err.Error(), test.said) || took > 3*time.Second {
				t.Errorf("%v after %v, want at once an error that says %q", err, took, test.said)
			}
			for ctx.Err() == nil {
				caller.Open(ctx, worker.Address())
				time.Sleep(50 * time.Millisecond)
			}
			caller.Close()
			worker.Close()
			// The first pause is half a second, and doubles.
			if lines, refusals := log.refusals(t); lines < 1 || lines > 2 || refusals > 10 {
				t.Errorf("%d refusals in %d lines:\n%.2000s", refusals, lines, log.text.String())
			}
		})
	}
}
