package dataset

import (
	"fmt"
	"path"
	"strings"
)

// The names of the data sets, which are also the names of their folders.
const (
	MNIST        = "mnist"
	FashionMNIST = "fashion-mnist"
	CIFAR10      = "cifar-10"
	MovieLens1M  = "movielens-1m"
)

// Set is an entry of the registry: the description of a data set, the forms that it may have
// in a folder, and its origin.
type Set struct {
	// Name is also the name of the folder; Title, Licence and Citation are for people.
	Name     string
	Title    string
	Licence  string
	Citation string
	// Home is the address of a description of the set.
	Home string
	// Forms are the forms that are recognised, the canonical one first.
	Forms []Form
	// Downloads together give the canonical form.
	Downloads []Download
}

// Form is a group of files that together are a data set or a part of it.
type Form struct {
	// Canonical is true if the files are the ones that the authors distribute.
	Canonical bool
	// Subset is true if records are missing, so that figures found with it must not be
	// compared with published ones.
	Subset bool
	// Notice is a sentence on the differences from the canonical form.
	Notice string
	// Files are the files of the form, all of which have to be there.
	Files []File
}

// File is a file of a form, as it is without compression.
type File struct {
	// Name is in the set's folder, without .gz.
	Name string
	// Bytes and SHA256, in hex, are of the plain contents.
	Bytes  int64
	SHA256 string // in hex
	// Records is the number of images, labels, ratings or movies.
	Records int
	role    role
}

// role is the kind of contents of a file, which decides the parser.
type role int

const (
	trainImages role = iota // idx3
	trainLabels             // idx1
	testImages
	testLabels
	trainRecords // CIFAR-10 records, label and image
	testRecords
	ratingLines
	movieLines
)

// Download is a file to fetch: one that is kept as it is, or an archive.
type Download struct {
	// URLs are the places that have it, tried in order.
	URLs []string
	// Bytes and SHA256 are of the transferred file, as it is: compressed or an archive.
	Bytes  int64
	SHA256 string // of the transferred file, in hex
	// Files are the results of the download: the file itself, or members of an archive.
	Files []Member
}

// Member is a file that a download gives.
type Member struct {
	// Path is the member's in the archive; empty if the download is the file itself.
	Path string
	// Name is in the set's folder: a File's name, with ".gz" if it is compressed.
	Name string // in the set's folder: a File's name, ".gz" added if compressed
}

// name returns the last part of the download's address.
func (d *Download) name() string { return path.Base(d.URLs[0]) }

// Sets lists the registry in a fixed order. The caller must not change it.
func Sets() []*Set { return registry }

// Names lists the names of the sets, in the order of Sets.
func Names() []string {
	var names []string
	for _, s := range registry {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the set of that name.
func Find(name string) (*Set, error) {
	for _, s := range registry {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("unknown data set %q; known: %s", name, strings.Join(Names(), ", "))
}

// records sums the records of a form's files of one role.
func (f *Form) records(r role) int {
	sum := 0
	for _, file := range f.Files {
		if file.role == r {
			sum += file.Records
		}
	}
	return sum
}

var registry = []*Set{
	{
		Name:     MNIST,
		Title:    "MNIST database of handwritten digits",
		Licence:  "CC BY-SA 3.0, as commonly stated",
		Citation: "LeCun, Bottou, Bengio, Haffner, Gradient-based learning applied to document recognition, Proc. IEEE 86(11), 1998",
		Home:     "http://yann.lecun.com/exdb/mnist/",
		Forms: []Form{{Canonical: true, Files: []File{
			{"train-images-idx3-ubyte", 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", 60000, trainImages},
			{"train-labels-idx1-ubyte", 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", 60000, trainLabels},
			{"t10k-images-idx3-ubyte", 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", 10000, testImages},
			{"t10k-labels-idx1-ubyte", 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", 10000, testLabels},
		}}},
		Downloads: idxDownloads(
			[]string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"},
			Download{Bytes: 9912422, SHA256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
			Download{Bytes: 28881, SHA256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
			Download{Bytes: 1648877, SHA256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
			Download{Bytes: 4542, SHA256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
		),
	},
	{
		Name:     FashionMNIST,
		Title:    "Fashion-MNIST",
		Licence:  "MIT",
		Citation: "Xiao, Rasul, Vollgraf, Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning Algorithms, arXiv 1708.07747, 2017",
		Home:     "https://github.com/zalandoresearch/fashion-mnist",
		Forms: []Form{{Canonical: true, Files: []File{
			{"train-images-idx3-ubyte", 47040016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888", 60000, trainImages},
			{"train-labels-idx1-ubyte", 60008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9", 60000, trainLabels},
			{"t10k-images-idx3-ubyte", 7840016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b", 10000, testImages},
			{"t10k-labels-idx1-ubyte", 10008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34", 10000, testLabels},
		}}},
		Downloads: idxDownloads(
			[]string{"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"},
			Download{Bytes: 26421880, SHA256: "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
			Download{Bytes: 29515, SHA256: "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
			Download{Bytes: 4422102, SHA256: "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
			Download{Bytes: 5148, SHA256: "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
		),
	},
	{
		Name:     CIFAR10,
		Title:    "CIFAR-10, binary version",
		Licence:  "no formal licence; the authors ask for a citation",
		Citation: "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, technical report, University of Toronto, 2009",
		Home:     "https://www.cs.toronto.edu/~kriz/cifar.html",
		Forms: []Form{
			{Canonical: true, Files: []File{
				{"data_batch_1.bin", 30730000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", 10000, trainRecords},
				{"data_batch_2.bin", 30730000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", 10000, trainRecords},
				{"data_batch_3.bin", 30730000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", 10000, trainRecords},
				{"data_batch_4.bin", 30730000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", 10000, trainRecords},
				{"data_batch_5.bin", 30730000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", 10000, trainRecords},
				{"test_batch.bin", 30730000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", 10000, testRecords},
			}},
			{Subset: true, Notice: "the first 1,000 training images of each class and the first 1,000 test images", Files: []File{
				{"train-10000.bin", 30730000, "f66cbe5c51b5151ff1a1eddefa9c29ac36c8d7b8f37097013ac89599a2fdc8be", 10000, trainRecords},
				{"test-1000.bin", 3073000, "8314c96d7cd65618193bab23acdd5d4c4af15bf6dd00a1781d55beedf3be1ef5", 1000, testRecords},
			}},
		},
		Downloads: []Download{{
			URLs:   []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
			Bytes:  170052171,
			SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
			Files:  archived("cifar-10-batches-bin", "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"),
		}},
	},
	{
		Name:     MovieLens1M,
		Title:    "MovieLens 1M",
		Licence:  "free for research with acknowledgement; no redistribution and no commercial use without permission",
		Citation: "Harper, Konstan, The MovieLens Datasets: History and Context, ACM TiiS 5(4), article 19, 2015",
		Home:     "https://grouplens.org/datasets/movielens/1m/",
		Forms: []Form{
			{Canonical: true, Files: []File{
				{"ratings.dat", 24594131, "506d64ca44484487c11dc2d9a28de5c54948213e6b96285e298afe28d6ea4e0f", 1000209, ratingLines},
				{"movies.dat", 171308, "0140fc2356357c1a851d0f52e893a1e4d3696df632c4141cea8d5bc3d621f0b9", 3883, movieLines},
			}},
			{Notice: "all ratings in the order of ratings.dat, without their times", Files: []File{
				{"ratings-3col.dat", 13553874, "2dad134c8b493373beed8d2a42e18ec2a93606fd957bd76c0bfbdef5c514b985", 1000209, ratingLines},
				{"movies.dat", 171308, "0140fc2356357c1a851d0f52e893a1e4d3696df632c4141cea8d5bc3d621f0b9", 3883, movieLines},
			}},
		},
		Downloads: []Download{{
			URLs:   []string{"https://files.grouplens.org/datasets/movielens/ml-1m.zip"},
			Bytes:  5917549,
			SHA256: "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
			Files:  archived("ml-1m", "ratings.dat", "movies.dat"),
		}},
	},
}

// idxDownloads completes the four downloads of MNIST and of Fashion-MNIST,
// given in the order train images, train labels, test images, test labels.
func idxDownloads(places []string, four ...Download) []Download {
	names := []string{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}
	for i := range four {
		for _, place := range places {
			four[i].URLs = append(four[i].URLs, place+names[i])
		}
		four[i].Files = []Member{{Name: names[i]}}
	}
	return four
}

// archived lists members of an archive that lie in one folder of it.
func archived(folder string, names ...string) []Member {
	var members []Member
	for _, name := range names {
		members = append(members, Member{Path: path.Join(folder, name), Name: name})
	}
	return members
}
