"use strict";
// Plotly is compressed in the page, and unpacked at once, because the scripts after it need it: browsers decompress only
// in the background. The format is that of RFC 1951; the policy of the page knows the hash of what is unpacked.
(() => {
  const place = document.getElementById("packed-plotly");
  const [widest, mostCodes] = [15, 1 << 15];

  function bytesOf(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  // For the next 15 bits, lowest first: the symbol, and in the lowest four bits the length of its code.
  function tableOf(lengths) {
    const next = new Uint32Array(widest + 2);
    for (const length of lengths) if (length) next[length + 1] += 1;
    for (let bits = 1; bits <= widest + 1; bits += 1) next[bits] = (next[bits] + next[bits - 1]) << 1;
    const table = new Uint16Array(mostCodes);
    lengths.forEach((length, symbol) => {
      if (!length) return;
      let reversed = 0;
      for (let i = 0, code = next[length]; i < length; i += 1, code >>= 1) reversed = (reversed << 1) | (code & 1);
      next[length] += 1;
      for (let at = reversed; at < mostCodes; at += 1 << length) table[at] = (symbol << 4) | length;
    });
    return table;
  }

  function inflated(data, size) {
    const result = new Uint8Array(size);
    let [at, hold, held, end] = [0, 0, 0, 0];

    function take(count) {
      for (; held < count; held += 8) hold |= data[at++] << held;
      const value = hold & ((1 << count) - 1);
      hold >>>= count;
      held -= count;
      return value;
    }

    function decode(table) {
      for (; held < widest; held += 8) hold |= data[at++] << held;
      const entry = table[hold & (mostCodes - 1)];
      hold >>>= entry & 15;
      held -= entry & 15;
      return entry >> 4;
    }

    // Lengths of copies are coded in groups of four per number of further bits, distances in groups of two.
    function stepped(code, perBit, first) {
      if (code < 2 * perBit) return first + code;
      const bits = Math.floor(code / perBit) - 1;
      return first + ((perBit + (code % perBit)) << bits) + take(bits);
    }

    function codesOfBlock() {
      const [nSymbols, nDistances, nLengths] = [take(5) + 257, take(5) + 1, take(4) + 4];
      const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
      const ofLengths = new Array(19).fill(0);
      for (let i = 0; i < nLengths; i += 1) ofLengths[order[i]] = take(3);
      const table = tableOf(ofLengths);
      const lengths = [];
      while (lengths.length < nSymbols + nDistances) {
        const symbol = decode(table);
        if (symbol < 16) lengths.push(symbol);
        else {
          const value = symbol === 16 ? lengths[lengths.length - 1] : 0;
          const times = symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
          for (let i = 0; i < times; i += 1) lengths.push(value);
        }
      }
      return [tableOf(lengths.slice(0, nSymbols)), tableOf(lengths.slice(nSymbols))];
    }

    function fixedCodes() {
      const lengths = Array.from({ length: 288 }, (unused, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
      return [tableOf(lengths), tableOf(new Array(30).fill(5))];
    }

    function stored() {
      at -= held >> 3;
      hold = held = 0;
      const length = data[at] | (data[at + 1] << 8);
      result.set(data.subarray(at + 4, at + 4 + length), end);
      at += 4 + length;
      end += length;
    }

    for (let isLast = 0; !isLast; ) {
      isLast = take(1);
      const kind = take(2);
      if (kind === 0) {
        stored();
        continue;
      }
      const [symbols, distances] = kind === 1 ? fixedCodes() : codesOfBlock();
      for (let symbol = decode(symbols); symbol !== 256; symbol = decode(symbols)) {
        if (symbol < 256) result[end++] = symbol;
        else {
          const length = symbol === 285 ? 258 : stepped(symbol - 257, 4, 3);
          const from = end - stepped(decode(distances), 2, 1);
          for (let i = 0; i < length; i += 1) result[end++] = result[from + i];
        }
      }
    }
    return result;
  }

  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(inflated(bytesOf(place.textContent), Number(place.dataset.size)));
  place.replaceWith(script);
})();
