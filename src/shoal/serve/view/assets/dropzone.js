// A file chosen or dropped, sent as it is: the server writes it down as it comes.
export default {
  template: `
    <div class="drop" :class="{over: over, small: small}" @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="dropped">
      <label class="drop-label">
        <span class="drop-title">{{ label }}</span>
        <span class="drop-hint" v-if="hint">{{ hint }}</span>
        <input type="file" class="drop-input" :accept="accept" :aria-label="label" @change="chosen" :disabled="busy">
        <span class="btn" :class="{quiet: small}" aria-hidden="true">{{ button }}</span>
      </label>
      <progress v-if="busy" :value="share" max="1" :aria-label="label"></progress>
      <p v-if="error" class="field-error" role="alert">{{ error }}</p>
    </div>`,
  props: { url: String, label: String, hint: String, button: String, accept: String, purpose: String, small: Boolean, largest: Number, texts: Object },
  data: () => ({ over: false, busy: false, share: 0, error: "" }),
  methods: {
    chosen(event) { this.send(event.target.files[0]); event.target.value = ""; },
    dropped(event) { this.over = false; this.send(event.dataTransfer.files[0]); },
    send(file) {
      if (!file || this.busy) return;
      this.error = "";
      if (this.largest && file.size > this.largest) { this.error = this.texts.large; return; }
      const request = new XMLHttpRequest();
      request.open("PUT", this.url);
      request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
      request.setRequestHeader("X-Purpose", this.purpose || "table");
      request.upload.onprogress = (e) => { if (e.lengthComputable) this.share = e.loaded / e.total; };
      const failed = (text) => { this.busy = false; this.error = text; };
      request.onload = () => {
        this.busy = false;
        if (request.status === 200) this.$emit("uploaded", JSON.parse(request.responseText));
        else failed(request.status === 413 ? this.texts.large : this.texts.failed);
      };
      request.onerror = () => failed(this.texts.failed);
      this.busy = true; this.share = 0;
      request.send(file);
    },
  },
};
