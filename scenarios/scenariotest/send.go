package scenariotest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Request is a request to the server.
type Request struct {
	// Method is GET where it is empty.
	Method string
	URL    string
	// Token, if not empty, goes into the header Authorization.
	Token string
	Body  string
	// Header has other headers, as they are sent: Host sets the request's host, and an empty
	// value takes a header away.
	Header map[string]string
}

// JSONHeader returns the header of a body that is JSONHeader.
func JSONHeader() map[string]string { return map[string]string{"Content-Type": "application/json"} }

// Send sends a request and returns the answer with its whole body. It follows no redirection.
func Send(t testing.TB, r Request) (answer *http.Response, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for name, value := range r.Header {
		switch {
		case name == "Host":
			request.Host = value
		case value == "":
			request.Header.Del(name)
		default:
			request.Header.Set(name, value)
		}
	}
	answer, err = http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}
