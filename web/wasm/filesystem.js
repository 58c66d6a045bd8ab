// SPDX-License-Identifier: Apache-2.0
// Emscripten's library: a file system whose files are lists of pieces (pieces.js), and those calls of the C library
// that emscripten lacks or has for files below 2 GiB alone. emcc puts what is written here into the JavaScript.
/* global mergeInto, LibraryManager, wrapSyscallFunction, FS, SYSCALLS, HEAP32, setErrNo, Pieces, BlobReader, PIECES */

const calls = {
    // Of 64-bit arguments the module gets two halves.
    fd_pread__deps: ['$SYSCALLS', '$PIECES'],
    fd_pread: function(fd, vectors, count, offsetLow, offsetHigh, outCount) {
        const stream = SYSCALLS.getStreamFromFD(fd);
        const offset = offsetHigh * 0x100000000 + (offsetLow >>> 0);
        if (!Number.isSafeInteger(offset) || offset < 0)
            return {{{ cDefine('EOVERFLOW') }}};
        const done = SYSCALLS.doReadv(stream, vectors, count, offset);
        {{{ makeSetValue('outCount', 0, 'done', 'i32') }}};
        return 0;
    },
};
for (const name of Object.keys(calls))
    if (typeof calls[name] === 'function')
        wrapSyscallFunction(name, calls, true);
mergeInto(LibraryManager.library, calls);

mergeInto(LibraryManager.library, {
    // There are no other programs.
    posix_spawnp: function() {
        return {{{ cDefine('ENOENT') }}};
    },

    // Between two files of PIECES: a range of the first becomes one of the second, and no Blob is read.
    copy_file_range__deps: ['$FS', '$PIECES', '$setErrNo'],
    copy_file_range: function(from, fromOffset, to, toOffset, bytes, flags) {
        const source = FS.getStream(from), target = FS.getStream(to);
        const isHere = source && target && source.node.pieces && target.node.pieces;
        if (!isHere || !fromOffset || toOffset || flags) {
            setErrNo({{{ cDefine('EINVAL') }}});
            return -1;
        }
        const low = {{{ makeGetValue('fromOffset', 0, 'i32') }}}, high = {{{ makeGetValue('fromOffset', 4, 'i32') }}};
        const count = target.node.pieces.copy(
            source.node.pieces, high * 0x100000000 + (low >>> 0), bytes >>> 0, target.position);
        target.position += count;
        PIECES.note(target.node, true);
        return count;
    },

    $PIECES__deps: ['$FS'],
    $PIECES__postset: 'Module["PIECES"] = PIECES;',
    $PIECES: {
        device: 16,
        /** @type {BlobReader | null} */
        reader: null,
        /** Called with what is read or written, very often: (node, isWritten). */
        note: () => {},

        /**
         * Before the run: the files in the folder where the tool runs, and the standard streams.
         * @param {{name: string, blob: Blob}[]} files  a name may have folders before it
         * @param {(node: object, isWritten: boolean) => void} note
         */
        begin: (files, note) => {
            PIECES.reader = new BlobReader();
            for (const folder of ['/streams', '/models']) {
                FS.mkdir(folder);
                FS.mount(PIECES, {}, folder);
            }
            for (const name of ['input', 'output', 'messages'])
                FS.mknod('/streams/' + name, {{{ cDefine('S_IFREG') | 0o666 }}}, 0);
            FS.open('/streams/input', {{{ cDefine('O_RDONLY') }}});
            FS.open('/streams/output', {{{ cDefine('O_WRONLY') }}});
            FS.open('/streams/messages', {{{ cDefine('O_WRONLY') }}});
            FS.chdir('/models');
            files.forEach((file) => PIECES.add(file));
            PIECES.note = note;
        },

        add: (file) => {
            const path = '/models/' + file.name;
            FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
            const node = FS.mknod(path, {{{ cDefine('S_IFREG') | 0o666 }}}, 0);
            node.pieces = new Pieces(PIECES.reader, file.blob);
            node.timestamp = file.blob.lastModified || 0;
            node.isInput = true;
        },

        /** What a standard stream got: "output" or "messages". */
        stream: (name) => FS.lookupPath('/streams/' + name).node.pieces.parts(),

        /** The files that were made or changed, with what they are made of, in the order of their names. */
        written: () => {
            const files = [];
            const visit = (folder, path) => {
                for (const name of Object.keys(folder.children)) {
                    const node = folder.children[name];
                    if (node.children)
                        visit(node, path + name + '/');
                    else if (!node.isInput)
                        files.push({ name: path + name, parts: node.pieces.parts() });
                }
            };
            visit(FS.lookupPath('/models').node, '');
            return files.sort((a, b) => (a.name < b.name ? -1 : 1));
        },

        mount: (mount) => PIECES.createNode(null, '/', {{{ cDefine('S_IFDIR') | 0o777 }}}),

        createNode: (parent, name, mode) => {
            const node = FS.createNode(parent, name, mode, 0);
            node.node_ops = PIECES.node_ops;
            node.stream_ops = PIECES.stream_ops;
            node.timestamp = 0;
            if (FS.isDir(mode))
                node.children = Object.create(null);
            else
                node.pieces = new Pieces(PIECES.reader);
            if (parent)
                parent.children[name] = node;
            return node;
        },

        node_ops: {
            getattr: (node) => {
                const size = node.pieces ? node.pieces.size : 0, time = new Date(node.timestamp);
                return {
                    dev: PIECES.device, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size,
                    atime: time, mtime: time, ctime: time, blksize: 4096, blocks: Math.ceil(size / 512),
                };
            },
            setattr: (node, attributes) => {
                if (attributes.mode !== undefined)
                    node.mode = attributes.mode;
                if (attributes.size !== undefined) {
                    node.pieces.resize(attributes.size);
                    node.isInput = false;
                }
            },
            // What there is was found by its name before this is called.
            lookup: () => {
                throw new FS.ErrnoError({{{ cDefine('ENOENT') }}});
            },
            mknod: (parent, name, mode) => PIECES.createNode(parent, name, mode),
            rename: (node, folder, name) => {
                const replaced = folder.children[name];
                if (replaced && replaced !== node)
                    FS.hashRemoveNode(replaced);
                delete node.parent.children[node.name];
                node.name = name;
                node.parent = folder;
                folder.children[name] = node;
            },
            unlink: (folder, name) => {
                delete folder.children[name];
            },
            rmdir: (folder, name) => {
                if (Object.keys(folder.children[name].children).length)
                    throw new FS.ErrnoError({{{ cDefine('ENOTEMPTY') }}});
                delete folder.children[name];
            },
            readdir: (folder) => ['.', '..', ...Object.keys(folder.children)],
        },

        stream_ops: {
            read: (stream, buffer, offset, length, position) => {
                let count;
                try {
                    count = stream.node.pieces.read(new Uint8Array(buffer.buffer, offset, length), position);
                } catch (error) { // the file is gone, or changed, since it was chosen
                    throw new FS.ErrnoError({{{ cDefine('EIO') }}});
                }
                stream.node.seen = Math.max(stream.node.seen || 0, position + count);
                PIECES.note(stream.node, false);
                return count;
            },
            write: (stream, buffer, offset, length, position) => {
                stream.node.pieces.write(new Uint8Array(buffer.buffer, offset, length), position);
                stream.node.isInput = false;
                PIECES.note(stream.node, true);
                return length;
            },
            llseek: (stream, offset, whence) => {
                const base = whence === {{{ cDefine('SEEK_CUR') }}} ? stream.position
                    : whence === {{{ cDefine('SEEK_END') }}} ? stream.node.pieces ? stream.node.pieces.size : 0 : 0;
                if (base + offset < 0)
                    throw new FS.ErrnoError({{{ cDefine('EINVAL') }}});
                return base + offset;
            },
        },
    },
});
