package observatory

import (
	"bytes"
	"net/http"
	"sync"
)

// mostRemembered is the limit on the bytes of the answers that are kept.
const mostRemembered = 16 << 20

// kept holds answers about finished runs with files that have been held against their checksums: an
// answer is the same as long as the files are. The oldest go first. It is safe for concurrent use.
type kept struct {
	mu    sync.Mutex
	texts map[string][]byte // guarded by mu
	order []string          // guarded by mu: the keys, the oldest first
	size  int               // guarded by mu: of all texts
}

// get returns the answer under a key; nil for none.
func (k *kept) get(key string) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.texts[key]
}

// put keeps an answer.
func (k *kept) put(key string, text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.texts[key]; ok || len(text) > mostRemembered {
		return
	}
	if k.texts == nil {
		k.texts = map[string][]byte{}
	}
	k.texts[key], k.order, k.size = text, append(k.order, key), k.size+len(text)
	for k.size > mostRemembered {
		k.size -= len(k.texts[k.order[0]])
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
}

// keeping returns a handler that answers a question about a finished run once, and then gives the same
// answer.
func (s *Server) keeping(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seal, ok := s.options.Folder.Whole(r.URL.Query().Get("id"))
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		key := seal + "\n" + r.URL.Path + "?" + r.URL.RawQuery
		if text := s.kept.get(key); text != nil {
			w.Header().Set("Content-Type", "application/json")
			w.Write(text)
			return
		}
		copied := &copied{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(copied, r)
		if copied.status == http.StatusOK {
			s.kept.put(key, copied.text.Bytes())
		}
	})
}

// copied is an answer of which a copy is made.
type copied struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (c *copied) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *copied) Write(b []byte) (int, error) {
	c.text.Write(b)
	return c.ResponseWriter.Write(b)
}
