"""Which windows' keys files of a data directory name, or have."""

import os
import struct

import daemon


def checkpoint_keys(path):
    """The names of the keys of a checkpoint's windows, as CheckpointIndex.swift states."""
    try:
        content = daemon.read_bytes(path)
    except FileNotFoundError:
        return set()
    size = struct.unpack("<I", content[-8:-4])[0]
    index = content[-8 - size:-8]
    offset = 32
    for each in (32, 40):
        offset += 4 + each * struct.unpack_from("<I", index, offset)[0]
    count = struct.unpack_from("<I", index, offset)[0]
    return {struct.unpack_from("<Q", index, offset + 4 + 24 * place)[0] for place in range(count)}


def journal_keys(house):
    """The names of the keys that the journal's records were encrypted under, by the format that Segment.swift states."""
    names = set()
    folder = os.path.join(house.data, "journal")
    for name in os.listdir(folder):
        content = daemon.read_bytes(folder, name)
        layouts = struct.unpack_from("<I", content, 24)[0]
        place = 40 + 32 * layouts
        while place + 8 <= len(content):
            length = struct.unpack_from("<I", content, place)[0]
            # A mark holds no batches, and has no key.
            if struct.unpack_from("<I", content, place + 24)[0] > 0:
                names.add(struct.unpack_from("<Q", content, place + 16)[0])
            place += 8 + length
    return names


def window_keys(house):
    folder = os.path.join(house.data, "windows")
    return {int(name.split(".")[0], 16): os.path.join(folder, name) for name in os.listdir(folder)}
