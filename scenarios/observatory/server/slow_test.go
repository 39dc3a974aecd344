package server_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// TestSlowAskers asks much of a server without sending what was announced: others are answered.
func TestSlowAskers(t *testing.T) {
	dir, _ := folderOf(t, 0)
	s := serve(t, dir)
	base, token := tokenOf(t, s)
	host := strings.TrimPrefix(base, "http://")
	for range 8 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /api/check HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", host, token)
	}
	time.Sleep(200 * time.Millisecond)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		get[struct{ Runs []any }](t, s, "runs")
	}()
	select {
	case <-answered:
	case <-time.After(20 * time.Second):
		t.Fatal("bodies that do not come take the places of all answers")
	}
}
