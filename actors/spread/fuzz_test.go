package spread_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"starling/actors/spread"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// What another process says was measured is refused or replayed, whatever its bytes are.
func FuzzReplay(f *testing.F) {
	relay, front := spread.NewRelay(newDiary())
	front.Played(1, 2, []float64{1, 2})
	_ = front.Spent(1, 2, accountant.Loss{Epsilon: 1})
	front.Recorded(3, 2, "norm", 0.5)
	front.Stopped(3, 2, "why")
	front.Sent(2, 4, 64)
	f.Add(relay.Take())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, log []byte) {
		_ = spread.Replay(log, newDiary(), 5, func(node messages.NodeID) bool {
			if node < 0 || node >= 5 {
				t.Errorf("node %d is asked for", node)
			}
			return node < 4
		})
	})
}

// What another process says was sent is refused or unpacked, whatever its bytes are.
func FuzzUnpack(f *testing.F) {
	outboxes := make([]messages.Outbox, 3)
	for i := range outboxes {
		outboxes[i].SetBroadcast(&messages.Vector{Float32: i == 1, Values: []float64{float64(i), 2}})
	}
	b := &spread.Batch{Turn: 1}
	spread.Pack(b, []messages.NodeID{0, 1, 2}, outboxes)
	text, err := proto.Marshal(b)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		var b spread.Batch
		if proto.Unmarshal(text, &b) != nil {
			return
		}
		_, _ = spread.Unpack(&b, make([]messages.Outbox, 3), nil, func(node messages.NodeID) bool { return node >= 0 && node < 3 })
	})
}
